import type { Key, WakeReason } from '../../kernel/index.ts'
import type { ScannedKey } from '../../store/index.ts'
import type { JobReason } from './types.ts'

/** The queue of deployments and the kind of their keys; the views of jobs use the same names. */
export const APPS_QUEUE = 'apps'
export const DEPLOYMENT = 'Deployment'

export const deploymentKey = (id: string): Key => ({ kind: DEPLOYMENT, id })

/** A deployment as the drift scan wakes it. */
export const scannedDeployment = ({ id, userId }: { readonly id: string; readonly userId: string }): ScannedKey => ({
  key: deploymentKey(id),
  tenant: userId,
})

/** The queue's name of each reason of a job; the view `deployment_reconcile_job` translates back. */
export const WAKE_REASON = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  drift: 'drift',
  retry: 'retry',
} as const satisfies Record<JobReason, WakeReason>
