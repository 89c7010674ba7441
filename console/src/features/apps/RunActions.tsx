import { Button } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay, IconRefresh } from '@tabler/icons-react'
import type { DeploymentView, ReconcileJobView } from '../../lib/api/contract.ts'
import { api } from './paths.ts'
import { useWrite } from './use-write.ts'

/** Whether it was given up, or waits for its next try. */
const mayRetry = ({ status, failed_tries: tries }: DeploymentView): boolean =>
  status === 'stalled' || status === 'error' || tries > 0

/** Retry, suspend, resume, and for admins a look. */
export function RunActions({
  deployment,
  isAdmin,
}: {
  readonly deployment: DeploymentView
  readonly isAdmin: boolean
}) {
  const isSuspended = deployment.suspended_at !== null
  return (
    <>
      {mayRetry(deployment) && !isSuspended ? (
        <VerbButton deployment={deployment} verb="retry" label="Retry" icon={IconRefresh} />
      ) : (
        isAdmin && <LookAgain deployment={deployment} />
      )}
      {isSuspended ? (
        <VerbButton deployment={deployment} verb="resume" label="Resume" icon={IconPlayerPlay} />
      ) : (
        <VerbButton deployment={deployment} verb="suspend" label="Suspend" icon={IconPlayerPause} />
      )}
    </>
  )
}

interface VerbButtonProps {
  readonly deployment: DeploymentView
  readonly verb: 'retry' | 'suspend' | 'resume'
  readonly label: string
  readonly icon: typeof IconRefresh
}

function VerbButton({ deployment, verb, label, icon: VerbIcon }: VerbButtonProps) {
  const write = useWrite<DeploymentView>((client) => client.post(`${api.deployment(deployment)}:${verb}`, {}))
  return (
    <Button
      variant="default"
      leftSection={<VerbIcon size={16} aria-hidden />}
      loading={write.isPending}
      onClick={() => write.mutate()}
    >
      {label}
    </Button>
  )
}

function LookAgain({ deployment }: { readonly deployment: DeploymentView }) {
  const wake = useWrite<ReconcileJobView>((client) =>
    client.post(`/deployments/${encodeURIComponent(deployment.id)}:reconcile`, { reason: 'drift' }),
  )
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={16} aria-hidden />}
      loading={wake.isPending}
      onClick={() => wake.mutate()}
    >
      Reconcile now
    </Button>
  )
}
