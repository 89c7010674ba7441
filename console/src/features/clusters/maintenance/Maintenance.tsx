import { Column, Columns } from '../../../components/page/Columns.tsx'
import type { ClusterView } from '../../../lib/api/contract.ts'
import { Credentials } from './Credentials.tsx'
import { Hibernation } from './Hibernation.tsx'
import { MaintenanceTime } from './MaintenanceTime.tsx'
import { Versions } from './Versions.tsx'

export interface MaintenanceProps {
  readonly cluster: ClusterView
  readonly mayWrite: boolean
}

/** What is done to a cluster over its life. */
export const Maintenance = (props: MaintenanceProps) => (
  <Columns>
    <Column>
      <Versions {...props} />
      <Credentials {...props} />
    </Column>
    <Column>
      <MaintenanceTime {...props} />
      <Hibernation {...props} />
    </Column>
  </Columns>
)
