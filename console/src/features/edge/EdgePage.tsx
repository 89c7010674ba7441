import { DomainPage } from '../../components/DomainPage.tsx'
import { about } from './about.ts'

export const EdgePage = () => <DomainPage about={about} />
