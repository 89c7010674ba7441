import { ServerRefusal, type RestClient } from '../../client.ts'
import type { Terminal } from '../../ports.ts'
import { raise } from '../../failures.ts'
import { untilSettled, type Verdict } from '../../wait.ts'

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

/** Undefined: it does not exist, or the API has not seen it yet. */
const found = (client: RestClient, path: string): Promise<Runtime | undefined> =>
  client.get<Runtime>(path).catch((error: unknown) => {
    if (error instanceof ServerRefusal && error.failure.code === 'NotFound') return undefined
    throw error
  })

/**
 * Waits until the runtime is available in the generation that was applied, or degraded. Servers read from watches: one that
 * has not seen that generation yet is asked again. A runtime that is deleted in between ends the wait.
 */
export function untilAvailable(
  client: RestClient,
  path: string,
  { id, generation }: Pick<Runtime, 'id' | 'generation'>,
  timeoutMs: number,
  terminal: Terminal,
): Promise<Runtime> {
  let isSeen = false
  const get = async (): Promise<Runtime | undefined> => {
    const now = isSeen ? await client.get<Runtime>(path) : await found(client, path)
    isSeen ||= now !== undefined && now.generation >= generation
    return now
  }
  return untilSettled(get, availability(id, generation), terminal, { name: id, timeoutMs })
}

const availability =
  (id: string, generation: number) =>
  (now: Runtime | undefined): Verdict<Runtime> => {
    if (now === undefined || now.generation < generation)
      return { is: 'waiting', text: `${id}: not seen by the server` }
    const isCurrent = now.observed_generation === now.generation
    const text = `${id}: ${now.phase}, ${now.functions_ready}/${now.functions_total} ready: ${now.message}`
    if (now.phase === 'available' && isCurrent) return { is: 'settled', value: now, text }
    if (now.phase !== 'degraded' || !isCurrent) return { is: 'waiting', text }
    return { is: 'failed', error: raise.RuntimeDegraded(`${id} is degraded (${now.reason}): ${now.message}`), text }
  }

/** Waits until nothing of the runtime is left. */
export const untilGone = (client: RestClient, path: string, timeoutMs: number, terminal: Terminal): Promise<void> =>
  untilSettled(() => found(client, path), absence, terminal, { name: path.slice('/runtimes/'.length), timeoutMs })

function absence(now: Runtime | undefined): Verdict<void> {
  if (now === undefined) return { is: 'settled', value: undefined }
  const left = (now.children ?? []).map(({ id }) => id)
  const count = left.length === 0 ? '' : `, ${left.length} left: ${left.slice(0, 3).join(', ')}`
  return { is: 'waiting', text: `${now.id}: deleting${count}` }
}
