import { setTimeout as delay } from 'node:timers/promises'
import { ServerRefusal, type RestClient } from '../../client.ts'
import type { Terminal } from '../../ports.ts'
import { raise } from '../../failures.ts'

export interface Runtime {
  readonly id: string
  readonly namespace: string
  readonly name: string
  readonly phase: string
  readonly reason: string | null
  readonly message: string
  readonly template: string | null
  readonly functions_ready: number
  readonly functions_total: number
  readonly generation: number
  readonly observed_generation: number | null
  readonly mode: string
  readonly created_at: string
  readonly children?: ReadonlyArray<{ readonly id: string; readonly health: string; readonly message: string }>
}

const LOOK_EVERY_MS = 500
const DEFAULT_NAMESPACE = 'default'

/** `namespace/name`, or a name in the given namespace, as a path of the API. */
export function runtimePath(id: string, namespace = DEFAULT_NAMESPACE): string {
  const [first = '', second, ...more] = id.split('/')
  if (first === '' || second === '' || more.length > 0) {
    throw raise.InputUnreadable(`${id} is no runtime: write its name, or namespace/name`)
  }
  const [where, name] = second === undefined ? [namespace, first] : [first, second]
  return `/runtimes/${encodeURIComponent(where)}/${encodeURIComponent(name)}`
}

/** Tells every phase and message once. */
function teller({ err }: Terminal): (line: string) => void {
  let told = ''
  return (line) => {
    if (line !== told) err(`${line}\n`)
    told = line
  }
}

/** Undefined: it does not exist, or the API has not seen it yet. */
const found = (client: RestClient, path: string): Promise<Runtime | undefined> =>
  client.get<Runtime>(path).catch((error: unknown) => {
    if (error instanceof ServerRefusal && error.failure.code === 'NotFound') return undefined
    throw error
  })

/**
 * Watches a runtime until it is available as it was asked for, or degraded. Servers read from watches: another one than took
 * what was asked for may still tell of the time before.
 */
export async function untilAvailable(
  client: RestClient,
  path: string,
  asked: Pick<Runtime, 'id' | 'generation'>,
  timeoutMs: number,
  terminal: Terminal,
): Promise<Runtime> {
  const tell = teller(terminal)
  let last: Runtime | undefined
  for (const end = Date.now() + timeoutMs; ; await delay(LOOK_EVERY_MS)) {
    const now = last === undefined ? await found(client, path) : await client.get<Runtime>(path)
    if (now !== undefined && now.generation >= asked.generation) {
      last = now
      const isCurrent = now.observed_generation === now.generation
      tell(`${now.id}: ${now.phase}, ${now.functions_ready}/${now.functions_total} ready: ${now.message}`)
      if (now.phase === 'available' && isCurrent) return now
      if (now.phase === 'degraded' && isCurrent) {
        throw raise.RuntimeDegraded(`${now.id} is degraded (${now.reason}): ${now.message}`)
      }
    }
    if (Date.now() >= end) {
      throw raise.NotConvergedInTime(
        `${asked.id} is ${last?.phase ?? 'not seen by the server'} after ${timeoutMs / 1000} s`,
      )
    }
  }
}

/** Watches a runtime until nothing of it is left. */
export async function untilGone(
  client: RestClient,
  path: string,
  timeoutMs: number,
  terminal: Terminal,
): Promise<void> {
  const tell = teller(terminal)
  for (const end = Date.now() + timeoutMs; ; await delay(LOOK_EVERY_MS)) {
    const now = await found(client, path)
    if (now === undefined) return
    const left = (now.children ?? []).map(({ id }) => id)
    tell(`${now.id}: deleting${left.length === 0 ? '' : `, ${left.length} left: ${left.slice(0, 3).join(', ')}`}`)
    if (Date.now() >= end) throw raise.NotConvergedInTime(`${now.id} is not gone after ${timeoutMs / 1000} s`)
  }
}
