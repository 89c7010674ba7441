import { Text } from '@mantine/core'
import { Age } from '../../components/feedback/Age.tsx'
import { StatusLabel } from '../../components/feedback/StatusLabel.tsx'
import type { ClusterView } from '../../lib/api/contract.ts'
import { useNow } from '../../lib/now.ts'
import { freshness } from './status.ts'

/** Until when the shown status is known to hold. An old one is marked. */
export function AsOf({ cluster }: { readonly cluster: Pick<ClusterView, 'status' | 'status_as_of'> }) {
  const now = useNow()
  const { isOld, why } = freshness(cluster, now)
  const text =
    cluster.status_as_of === null ? (
      'not seen yet'
    ) : (
      <>
        as of <Age since={cluster.status_as_of} /> ago
      </>
    )
  if (isOld) {
    return (
      <StatusLabel tone="bad" why={why}>
        {text}
      </StatusLabel>
    )
  }
  return (
    <Text span size="xs" c="dimmed">
      {text}
    </Text>
  )
}
