import { DomainPage } from '../../components/DomainPage.tsx'
import { about } from './about.ts'

export const AppsPage = () => <DomainPage about={about} />
