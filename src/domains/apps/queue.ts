import type { Key, WakeReason } from '../../kernel/index.ts'
import type { JobReason } from './types.ts'

/** The queue that deployments wait in, and the kind of their keys: rows, workers and views agree on these names. */
export const APPS_QUEUE = 'apps'
export const DEPLOYMENT = 'Deployment'

export const deploymentKey = (id: string): Key => ({ kind: DEPLOYMENT, id })

/** The queue's word for each reason that people write; the view `deployment_reconcile_job` translates back. */
export const WAKE_REASON = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  drift: 'drift',
  retry: 'retry',
} as const satisfies Record<JobReason, WakeReason>
