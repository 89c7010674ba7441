import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import { RecordedFailure } from '../../../components/feedback/RecordedFailure.tsx'
import type { ClusterView } from '../../../lib/api/contract.ts'
import { useOperate, useSync } from '../use-operate.ts'
import { failureTitle, mayRetry } from './failures.ts'

interface FailuresProps {
  readonly cluster: ClusterView
  readonly mayOperate: boolean
}

/** What fails, whose move it is, and a button where asking again helps. */
export function Failures({ cluster, mayOperate }: FailuresProps) {
  const operate = useOperate(cluster)
  const sync = useSync(cluster)
  const refused = operate.error ?? sync.error
  return (
    <>
      {cluster.status_failure !== null && (
        <RecordedFailure
          failure={cluster.status_failure}
          title={failureTitle(cluster)}
          {...(mayOperate &&
            mayRetry(cluster) && {
              action: { label: 'Retry', onClick: () => operate.mutate('retry'), isPending: operate.isPending },
            })}
        />
      )}
      {cluster.sync_failure !== null && (
        <RecordedFailure
          failure={cluster.sync_failure}
          title="The last sync failed"
          {...(mayOperate && {
            action: { label: 'Sync now', onClick: () => sync.mutate(), isPending: sync.isPending },
          })}
        />
      )}
      {refused !== null && <ProblemView compact error={refused} />}
    </>
  )
}
