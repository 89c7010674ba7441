import { sameValue } from '../../kernel/index.ts'
import { at, isConflict, isNotFound, type Client } from '../../kube/index.ts'
import type { Caches } from './watch/caches.ts'
import { ClassRuntime, type ClassRuntimeStatus } from './class-runtime.ts'

export type Recorded =
  | 'written'
  /** It says so already. */
  | 'unchanged'
  /** Somebody else wrote first. The cache has what they wrote: conclude again. */
  | 'outdated'

/**
 * Writes what is new in the status, about exactly the runtime that was looked at: the version makes the server refuse it when
 * that one has changed or been replaced by a namesake since.
 */
export async function record(
  client: Client,
  { runtimes }: Pick<Caches, 'runtimes'>,
  runtime: ClassRuntime,
  status: ClassRuntimeStatus,
  signal: AbortSignal,
): Promise<Recorded> {
  if (status === runtime.status) return 'unchanged'
  const changes = changesOf(runtime.status ?? {}, status)
  const { resourceVersion } = runtime.metadata
  const merge = { metadata: { resourceVersion }, status: changes }
  try {
    runtimes.wrote(await client.patchStatus(ClassRuntime, at(runtime), { merge }, { signal }))
    return 'written'
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error
    const fresh = await client.get(ClassRuntime, at(runtime), signal)
    if (fresh === undefined) runtimes.deleted(at(runtime), runtime.metadata.uid ?? '')
    else runtimes.wrote(fresh)
    return 'outdated'
  }
}

type Fields = Readonly<Record<string, unknown>>

/** A merge patch from one to the other: what is no longer there is `null`, what is the same is left out. */
export function changesOf(before: Fields, after: Fields): Fields {
  const changes: Record<string, unknown> = {}
  for (const name of Object.keys(before)) if (after[name] === undefined) changes[name] = null
  for (const [name, value] of Object.entries(after)) {
    const old = before[name]
    if (value === undefined || sameValue(old, value)) continue
    changes[name] = isFields(old) && isFields(value) ? changesOf(old, value) : value
  }
  return changes
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
