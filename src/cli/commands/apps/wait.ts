import { setTimeout as delay } from 'node:timers/promises'
import type { RestClient } from '../../client.ts'
import { ServerRefusal } from '../../client.ts'
import type { Terminal } from '../../ports.ts'
import { raise } from '../../failures.ts'

export const STATUSES = ['pending', 'provisioning', 'ready', 'upgrading', 'deleting', 'deleted', 'error'] as const

export interface Deployment {
  readonly id: string
  readonly user_id: string
  readonly deployment_uid: string
  readonly product: { readonly id: string; readonly name: string }
  readonly domainname: string
  readonly status: (typeof STATUSES)[number]
  readonly status_since: string
  readonly generation: number
  readonly observed_generation: number
  readonly last_error: {
    readonly code: string
    readonly message: string
    readonly whose_move: 'user' | 'operator' | 'platform' | 'provider'
    readonly retryable: boolean
    readonly next_step: string
  } | null
}

const LOOK_EVERY_MS = 500

/**
 * Watches a deployment until what was asked for is there, or cannot be; tells every status on the way.
 *
 * Errors that Caelus retries do not end the wait; errors that need a person do.
 */
export async function converged(
  client: RestClient,
  { id, user_id }: Deployment,
  timeoutMs: number,
  terminal: Terminal,
): Promise<Deployment> {
  let told = ''
  for (const end = Date.now() + timeoutMs; ; await delay(LOOK_EVERY_MS)) {
    const now = await client.get<Deployment>(`/users/${user_id}/deployments/${id}`)
    const { status, last_error: failure, generation, observed_generation: seen } = now
    const text = `${now.deployment_uid}: ${status}${failure === null ? '' : ` (${failure.code}: ${failure.message})`}`
    if (text !== told) terminal.err(`${text}\n`)
    told = text
    if (status === 'deleted' || (status === 'ready' && seen === generation)) return now
    if (status === 'error' && failure !== null && !failure.retryable) {
      const { code, message: detail, whose_move, retryable, next_step } = failure
      throw new ServerRefusal({ code, detail, whose_move, retryable, next_step })
    }
    if (Date.now() >= end) {
      throw raise.NotConvergedInTime(`${now.deployment_uid} is ${status} after ${timeoutMs / 1000} s`)
    }
  }
}
