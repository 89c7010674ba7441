import { defineFailures } from '../../kernel/index.ts'
import type { ApplyOptions, Reader, Writer } from '../client/client.ts'
import { isConflict } from '../errors.ts'
import type { Draft, KubeObject, Resource } from '../objects.ts'

export interface ObjectFence {
  /** The annotation that holds the fence of the last writer. */
  readonly key: string
  /** Of our claim, term or lock: grows with every change of the writer. */
  readonly value: number
}

const raise = defineFailures({
  KubeStaleFence: {
    whoseMove: 'platform',
    retryable: true,
    nextStep:
      'No action needed: a newer worker writes this object. If no worker does, remove the annotation that the message names.',
  },
})

/** How often to read again after a concurrent write. */
const TRIES = 5
/** The first write of a store has version 2. An apply with this version can only create: an existing object conflicts. */
const NO_VERSION = '1'

/**
 * Applies one object unless a writer with a greater fence has written it, for API servers without an admission policy of ours.
 *
 * The fence is stored in an annotation of the object, and the apply is conditional on the version that was read. So of two
 * concurrent writers one reads the fence of the other. The protection ends when the object is deleted.
 */
export async function applyFenced<T extends KubeObject>(
  client: Reader & Writer,
  resource: Resource<T>,
  draft: Draft<T>,
  fence: ObjectFence,
  options: ApplyOptions = {},
): Promise<T> {
  const { namespace, name } = draft.metadata
  for (let attempt = 1; ; attempt++) {
    const live = await client.get(resource, { name, ...(namespace !== undefined && { namespace }) }, options.signal)
    refuseOlder(resource, live, name, fence)
    try {
      return await client.apply(resource, withFence(draft, fence, live), options)
    } catch (error) {
      const isOvertaken = isConflict(error) && error.conflicts.length === 0
      if (attempt >= TRIES || !isOvertaken) throw error
    }
  }
}

function refuseOlder(
  { kind }: Resource,
  live: KubeObject | undefined,
  name: string,
  { key, value }: ObjectFence,
): void {
  const written = Number(live?.metadata.annotations?.[key])
  if (!(written > value)) return
  throw raise.KubeStaleFence(
    `failed to apply ${kind} ${name}: its annotation ${key} is ${written}, and our fence is ${value}`,
  )
}

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
