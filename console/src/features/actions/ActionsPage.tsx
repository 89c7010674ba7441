import { DomainPage } from '../../components/DomainPage.tsx'
import { about } from './about.ts'

export const ActionsPage = () => <DomainPage about={about} />
