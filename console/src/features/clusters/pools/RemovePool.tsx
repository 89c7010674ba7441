import { Text } from '@mantine/core'
import type { ClusterView, NodePoolView } from '../../../lib/api/contract.ts'
import { draftOfPool, poolOf } from '../order/draft.ts'
import { api } from '../paths.ts'
import { ChangeDialog } from '../preflight/ChangeDialog.tsx'

interface RemovePoolProps {
  readonly cluster: ClusterView
  readonly pool: NodePoolView
  readonly onClose: () => void
}

export const RemovePool = ({ cluster, pool, onClose }: RemovePoolProps) => (
  <ChangeDialog
    cluster={cluster}
    title={`Remove node pool ${pool.name}`}
    verb="Remove"
    isDangerous
    change={{
      node_pools: cluster.node_pools.filter(({ id }) => id !== pool.id).map((other) => poolOf(draftOfPool(other))),
    }}
    save={(client, guard) => client.delete(api.pool(cluster, pool.id), guard)}
    onClose={onClose}
  >
    {() => (
      <Text size="sm">
        Gardener drains and deletes every node of the pool. Pods that fit on no other node wait until there is room.
      </Text>
    )}
  </ChangeDialog>
)
