import { DomainPage } from '../../components/DomainPage.tsx'
import { about } from './about.ts'

export const ClustersPage = () => <DomainPage about={about} />
