import { DomainPage } from '../../components/page/DomainPage.tsx'
import { about } from './about.ts'

export const EdgePage = () => <DomainPage about={about} />
