import { StatusLabel } from '../../components/feedback/StatusLabel.tsx'
import type { ClusterView } from '../../lib/api/contract.ts'
import { headline } from './status.ts'

interface ClusterStatusLabelProps {
  readonly cluster: ClusterView
  /** Without the tooltip. */
  readonly isBare?: boolean
}

export function ClusterStatusLabel({ cluster, isBare = false }: ClusterStatusLabelProps) {
  const { tone, word, why } = headline(cluster)
  return (
    <StatusLabel tone={tone} since={cluster.status_changed_at} {...(!isBare && why !== '' && { why })}>
      {word}
    </StatusLabel>
  )
}
