import type { ReconcileJobView } from '../../../lib/api/contract.ts'
import { api } from '../paths.ts'
import { useWrite } from '../use-write.ts'
import { WithReason } from './WithReason.tsx'

interface FailJobProps {
  readonly job: ReconcileJobView
  readonly onClose: () => void
}

/** Ends the retries of one job. */
export function FailJob({ job, onClose }: FailJobProps) {
  const fail = useWrite<ReconcileJobView, string>(
    (client, error) => client.post(`${api.job(job.id)}:fail`, { error }),
    onClose,
  )
  return (
    <WithReason
      title={`Give up ${job.deployment_uid}`}
      consequences="A worker that runs it loses its lease. The app stays failed until someone requeues it or the drift scan does."
      label="Error message to record"
      verb="Give up"
      pending={fail.isPending}
      error={fail.error}
      onClose={onClose}
      onConfirm={(error) => fail.mutate(error)}
    />
  )
}
