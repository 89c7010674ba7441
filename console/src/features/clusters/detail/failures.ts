import type { ClusterView } from '../../../lib/api/contract.ts'

type Operated = Pick<ClusterView, 'shoot' | 'operation'>

/** Whether Gardener gave up, so that it goes on only when asked to, and nobody has asked yet. */
export const mayRetry = ({ shoot, operation }: Operated): boolean =>
  shoot?.operation?.state === 'Failed' && !(operation?.kind === 'retry' && operation.pending)

/** `Error` and `Failed` are not the same: only after `Failed` does Gardener wait for somebody. */
export function failureTitle({ shoot }: Pick<ClusterView, 'shoot'>): string {
  const state = shoot?.operation?.state
  if (state === 'Failed') return 'Gardener gave up'
  return state === 'Error' ? 'Gardener met an error and retries' : 'The cluster is not healthy'
}
