import { DomainPage } from '../../components/page/DomainPage.tsx'
import { about } from './about.ts'

export const ClustersPage = () => <DomainPage about={about} />
