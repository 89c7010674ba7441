import { DomainPage } from '../../components/page/DomainPage.tsx'
import { about } from './about.ts'

export const ActionsPage = () => <DomainPage about={about} />
