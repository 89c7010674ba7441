import { Button, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Panel } from '../../../components/detail/Panel.tsx'
import { menuColumn } from '../../../components/list/list-columns.tsx'
import { ResourceTable } from '../../../components/list/ResourceTable.tsx'
import type { ListColumn } from '../../../components/list/ResourceTable.tsx'
import type { ClusterView, LandscapeView, NodePoolView } from '../../../lib/api/contract.ts'
import { LandscapeProblem } from '../LandscapeProblem.tsx'
import { machineText } from '../order/draft.ts'
import { rangeText } from '../status.ts'
import { useLandscape } from '../use-landscape.ts'
import { EditPool } from './EditPool.tsx'
import { RemovePool } from './RemovePool.tsx'

interface NodePoolsProps {
  readonly cluster: ClusterView
  readonly mayWrite: boolean
}

type Dialog = { readonly kind: 'add' } | { readonly kind: 'edit' | 'remove'; readonly pool: NodePoolView }

/** The node pools as ordered; each change shows its machines before it is saved. */
export function NodePools({ cluster, mayWrite }: NodePoolsProps) {
  const landscape = useLandscape(cluster.organization_id)
  const [dialog, setDialog] = useState<Dialog>()
  const close = (): void => setDialog(undefined)
  const machines = landscape.data?.machine_types ?? []
  const mayEdit = mayWrite && (landscape.data !== undefined || landscape.error !== null)
  return (
    <Stack gap="md">
      {mayWrite && <LandscapeProblem query={landscape} />}
      <Panel
        title="Node pools"
        flush
        aside={
          mayEdit && (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => setDialog({ kind: 'add' })}
            >
              Add node pool
            </Button>
          )
        }
      >
        <ResourceTable
          label="node pools"
          rows={cluster.node_pools}
          columns={[
            ...columnsWith(machines),
            ...(mayWrite ? [menuFor(cluster.node_pools.length, mayEdit, setDialog)] : []),
          ]}
          rowKey={(row) => row.id}
        />
      </Panel>
      <Text size="sm" c="dimmed">
        Gardener scales each pool between its minimum and its maximum. A cluster has at least one node pool.
      </Text>
      {dialog?.kind === 'remove' && <RemovePool cluster={cluster} pool={dialog.pool} onClose={close} />}
      {dialog && dialog.kind !== 'remove' && (
        <EditPool
          cluster={cluster}
          landscape={landscape.data}
          {...(dialog.kind === 'edit' && { pool: dialog.pool })}
          onClose={close}
        />
      )}
    </Stack>
  )
}

const columnsWith = (machines: LandscapeView['machine_types']): readonly ListColumn<NodePoolView>[] => [
  { id: 'name', label: 'Node pool', value: (row) => row.name },
  {
    id: 'machine',
    label: 'Machine type',
    value: ({ machine_type: name }) => {
      const machine = machines.find((known) => known.name === name)
      return machine ? machineText(machine) : name
    },
    width: 300,
  },
  { id: 'nodes', label: 'Nodes', value: (row) => rangeText(row.autoscale_min, row.autoscale_max), width: 110 },
]

const menuFor = (count: number, mayEdit: boolean, open: (dialog: Dialog) => void): ListColumn<NodePoolView> =>
  menuColumn((pool) => ({
    name: pool.name,
    actions: [
      ...(mayEdit ? [{ label: 'Change', onClick: () => open({ kind: 'edit', pool }) }] : []),
      ...(count > 1 ? [{ label: 'Remove', isDangerous: true, onClick: () => open({ kind: 'remove', pool }) }] : []),
    ],
  }))
