import { ResourceTable } from '../../../components/list/ResourceTable.tsx'
import type { ListColumn } from '../../../components/list/ResourceTable.tsx'
import type { NodePoolEffectView } from '../../../lib/api/contract.ts'
import { rangeText } from '../status.ts'

/** What becomes of each node pool: how many machines, and how many at once while they are replaced. */
export const PoolEffects = ({ pools }: { readonly pools: readonly NodePoolEffectView[] }) => (
  <ResourceTable label="node pools after the change" rows={pools} columns={COLUMNS} rowKey={(row) => row.name} />
)

const COLUMNS: readonly ListColumn<NodePoolEffectView>[] = [
  { id: 'name', label: 'Node pool', value: (row) => row.name },
  { id: 'change', label: 'Change', value: (row) => (row.rolls ? `${row.change}, rolls` : row.change), width: 130 },
  {
    id: 'machines',
    label: 'Machines',
    value: (row) => (row.change === 'removed' ? '0' : rangeText(row.machines_min, row.machines_max)),
    width: 100,
  },
  {
    id: 'surge',
    label: 'Most at once',
    value: (row) => (row.change === 'removed' ? '0' : row.machines_during_roll),
    width: 120,
  },
]
