import { defineFailures } from '../../kernel/index.ts'
import type { ApplyOptions, DeleteOptions, Deletion, Reader, WriteOptions, Writer } from '../client/client.ts'
import { isConflict, isNotFound } from '../errors.ts'
import type { At, Draft, KubeObject, Resource } from '../objects.ts'

/*
 * Writes to one object unless a writer with a greater fence has written it, for API servers without an admission policy of
 * ours.
 *
 * The fence is stored in an annotation of the object, and every write is conditional on the version that was read. So of two
 * concurrent writers one reads the fence of the other. The protection ends when the object is deleted.
 *
 * Only we write the annotation. What another writer puts into it is handled by its value:
 * - Not a number as we write it: treated as absent.
 * - Not greater than our fence: replaced.
 * - Greater: refused, because it cannot be told from the fence of a successor. A person has to remove the annotation.
 */

export interface ObjectFence {
  /** The annotation that holds the fence of the last writer. */
  readonly key: string
  /** Of our claim, term or lock: an integer that grows with every change of the writer. */
  readonly value: number
}

/** A JSON merge patch: `null` removes a field. */
export interface MergePatch {
  readonly metadata?: {
    readonly annotations?: Readonly<Record<string, string | null>>
    readonly [field: string]: unknown
  }
  readonly [field: string]: unknown
}

const raise = defineFailures({
  KubeStaleFence: {
    whoseMove: 'platform',
    retryable: true,
    nextStep:
      'No action needed: a newer worker writes this object. If there is none, as after a restored database or a change by hand, remove the annotation that the message names.',
  },
})

/**
 * How often to read again after a concurrent write. Each try that fails means one write of somebody else, and controllers
 * write a new object several times at once; more than this is a writer that does not end.
 */
const TRIES = 20
/** The first write of a store has version 2. An apply with this version can only create: an existing object conflicts. */
const NO_VERSION = '1'

export interface FencedApplyOptions<T extends KubeObject> extends ApplyOptions {
  /** What to apply in view of the object that was read; throws to refuse the write. @default the draft as it is */
  readonly prepare?: (draft: Draft<T>, live: T | undefined) => Draft<T>
}

/** Server-side apply under a fence. It takes over the fence annotation; other fields of other managers stay conflicts. */
export async function applyFenced<T extends KubeObject>(
  client: Reader & Writer,
  resource: Resource<T>,
  draft: Draft<T>,
  fence: ObjectFence,
  { prepare = (asked) => asked, ...options }: FencedApplyOptions<T> = {},
): Promise<T> {
  const { namespace, name } = draft.metadata
  const at = { name, ...(namespace !== undefined && { namespace }) }
  return fenced({ client, resource, at, fence, signal: options.signal }, async (live) => {
    const object = withFence(prepare(draft, live), fence, live)
    try {
      return await client.apply(resource, object, options)
    } catch (error) {
      if (!isConflictAboutFence(error, fence)) throw error
      // Takes over nothing else: the server refuses it if the object has changed since it was read.
      return await client.apply(resource, object, { ...options, force: true })
    }
  })
}

/**
 * A merge patch under a fence, for fields that `applyFenced` does not apply: it would conflict with them later.
 * `undefined`: the object does not exist, or `patch` returned `undefined` for the object that was read.
 */
export async function patchFenced<T extends KubeObject>(
  client: Reader & Writer,
  resource: Resource<T>,
  at: At,
  patch: MergePatch | ((live: T) => MergePatch | undefined),
  fence: ObjectFence,
  options: WriteOptions = {},
): Promise<T | undefined> {
  return fenced({ client, resource, at, fence, signal: options.signal }, async (live) => {
    if (live === undefined) return undefined
    const asked = typeof patch === 'function' ? patch(live) : patch
    if (asked === undefined) return undefined
    const { resourceVersion } = live.metadata
    const annotations = { ...asked.metadata?.annotations, [fence.key]: String(fence.value) }
    const merge = { ...asked, metadata: { ...asked.metadata, annotations, resourceVersion } }
    return client.patch(resource, at, { merge }, options)
  })
}

/**
 * A deletion under a fence. It does not store the fence in an object that finalizers keep; `patchFenced` before it does.
 * With a `uid`, an object that has taken the place of the one with that uid counts as not found.
 */
export async function deleteFenced<T extends KubeObject>(
  client: Reader & Writer,
  resource: Resource<T>,
  at: At,
  fence: ObjectFence,
  options: Omit<DeleteOptions, 'resourceVersion'> = {},
): Promise<Deletion<T>> {
  return fenced({ client, resource, at, fence, signal: options.signal }, async (live) => {
    if (live === undefined || (options.uid ?? live.metadata.uid) !== live.metadata.uid) return { found: false }
    const { uid = '', resourceVersion = '' } = live.metadata
    return client.delete(resource, at, { ...options, uid, resourceVersion })
  })
}

interface FencedTarget<T extends KubeObject> {
  readonly client: Reader
  readonly resource: Resource<T>
  readonly at: At
  readonly fence: ObjectFence
  readonly signal: AbortSignal | undefined
}

/** Reads the object, compares the fence, and writes on condition of the version read; all again after a concurrent write. */
async function fenced<T extends KubeObject, R>(
  target: FencedTarget<T>,
  write: (live: T | undefined) => Promise<R>,
): Promise<R> {
  const { client, resource, at, signal } = target
  for (let attempt = 1; ; attempt++) {
    const live = await client.get(resource, at, signal)
    refuseOlder(target, live)
    try {
      return await write(live)
    } catch (error) {
      if (attempt >= TRIES || !isOvertaken(error, live)) throw error
    }
  }
}

function refuseOlder({ resource, at, fence }: FencedTarget<KubeObject>, live: KubeObject | undefined): void {
  const { key, value } = fence
  const written = writtenFence(live, key)
  if (written === undefined || written <= value) return
  const name = at.namespace === undefined ? at.name : `${at.namespace}/${at.name}`
  throw raise.KubeStaleFence(
    `failed to write ${resource.kind} ${name}: its annotation ${key} is ${written}, and our fence is ${value}`,
  )
}

/** `undefined` for a text that we do not write. */
function writtenFence(live: KubeObject | undefined, key: string): number | undefined {
  const text = live?.metadata.annotations?.[key]
  const written = Number(text)
  return Number.isSafeInteger(written) && String(written) === text ? written : undefined
}

/** The object was changed, created or deleted after it was read. */
const isOvertaken = (error: unknown, live: KubeObject | undefined): boolean =>
  isConflict(error) ? error.conflicts.length === 0 : live !== undefined && isNotFound(error)

const isConflictAboutFence = (error: unknown, { key }: ObjectFence): boolean =>
  isConflict(error) &&
  error.conflicts.length > 0 &&
  error.conflicts.every(({ field }) => field === `.metadata.annotations.${key}`)

/** The uid makes the server refuse the apply when the object that was read has been deleted since. */
const withFence = <T extends KubeObject>(
  draft: Draft<T>,
  { key, value }: ObjectFence,
  live: T | undefined,
): Draft<T> => {
  const { uid, resourceVersion = NO_VERSION } = live?.metadata ?? {}
  const annotations = { ...draft.metadata.annotations, [key]: String(value) }
  return { ...draft, metadata: { ...draft.metadata, annotations, resourceVersion, ...(uid !== undefined && { uid }) } }
}
