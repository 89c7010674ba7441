import { ServerRefusal, type RestClient } from '../../client.ts'
import type { Terminal } from '../../ports.ts'
import { untilSettled, type Verdict } from '../../wait.ts'

export const STATUSES = [
  'pending',
  'provisioning',
  'ready',
  'upgrading',
  'degraded',
  'stalled',
  'deleting',
  'deleted',
  'error',
] as const

export interface Deployment {
  readonly id: string
  readonly user_id: string
  readonly deployment_uid: string
  readonly product: { readonly id: string; readonly name: string }
  readonly domainname: string
  readonly cluster_id: string | null
  readonly cluster_name: string | null
  readonly status: (typeof STATUSES)[number]
  readonly status_since: string
  readonly generation: number
  readonly observed_generation: number
  readonly status_generation: number
  readonly suspended_at: string | null
  readonly upgrade_available: { readonly chart_version: string; readonly version_label: string | null } | null
  readonly last_error: {
    readonly code: string
    readonly message: string
    readonly whose_move: 'user' | 'operator' | 'platform' | 'provider'
    readonly retryable: boolean
    readonly next_step: string
  } | null
}

/** Waits until the deployment is ready as last changed, or deleted. Failures that Caelus retries do not end the wait. */
export const converged = (
  client: RestClient,
  { id, user_id, deployment_uid: name }: Deployment,
  timeoutMs: number,
  terminal: Terminal,
): Promise<Deployment> =>
  untilSettled(() => client.get<Deployment>(`/users/${user_id}/deployments/${id}`), verdict, terminal, {
    name,
    timeoutMs,
  })

function verdict(now: Deployment): Verdict<Deployment> {
  const { status, last_error: failure, generation, observed_generation: seen, status_generation: spokenOf } = now
  const held = now.suspended_at === null ? '' : ', suspended: resume it'
  const text = `${now.deployment_uid}: ${status}${held}${failure === null ? '' : ` (${failure.code}: ${failure.message})`}`
  if (status === 'deleted' || (status === 'ready' && seen === generation)) return { is: 'settled', value: now, text }
  // The failure of an earlier change says nothing about this one.
  const isGivenUp = (status === 'error' || status === 'stalled') && spokenOf === generation
  if (!isGivenUp || failure === null || failure.retryable) return { is: 'waiting', text }
  const { message: detail, ...rest } = failure
  return { is: 'failed', error: new ServerRefusal({ ...rest, detail }), text }
}
