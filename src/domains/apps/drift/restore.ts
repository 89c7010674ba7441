import { isConflict, type Client, type Discovery, type KubeObject, type Resource } from '../../../kube/index.ts'
import { objectName } from './diff-objects.ts'
import { OUR_MANAGER, settleConflicts, type Settlement } from './drift.ts'
import { raise } from '../failures.ts'
import type { OwnershipFacts } from './allowed-owners.ts'
import type { HandedOver } from '../observed.ts'
import { asStored } from './manifest-fields.ts'
import { inOurWords, refusalOf } from './refusals.ts'
import { asJson, asObject, without } from './release-objects.ts'

export interface Input {
  readonly desired: KubeObject
  /** Left out of what is applied. */
  readonly handOver: readonly HandedOver[]
  /** Called when another manager owns a field. */
  readonly facts: () => Promise<OwnershipFacts>
  readonly signal: AbortSignal
}

interface Door {
  /** Acting on behalf of the lease. */
  readonly client: Client
  readonly discovery: Discovery
}

/**
 * Applies one object as Helm would, without Helm and without a new revision.
 *
 * What others hold is named by the API server in a first, gentle try. Of that, what is meant to be theirs is left out,
 * and only the rest is taken back by force. Answers with what was handed over.
 */
export async function restore(door: Door, input: Input): Promise<readonly HandedOver[]> {
  const resource = await resourceOf(door, input.desired)
  const object = without(input.desired, pathsFor(input))
  const options = { fieldManager: OUR_MANAGER, signal: input.signal }
  try {
    await door.client.apply(resource, object, options)
    return []
  } catch (error) {
    const handOver = await settled(error, input)
    const rest = without(
      object,
      handOver.map(({ path }) => path),
    )
    await telling(door.client.apply(resource, rest, { ...options, force: true }))
    return handOver
  }
}

/**
 * Which fields of an object of a new manifest others hold. Nothing is written: Helm takes over what is to be taken, in its
 * own order. What the server does not take at all Helm will meet, too, and tell.
 */
export async function conflictsAhead(door: Door, input: Input): Promise<Settlement> {
  const { apiVersion, kind } = input.desired
  const resource = await door.discovery.resourceFor(apiVersion, kind)
  if (resource === undefined) return NO_CONFLICTS
  const object = asStored(asJson(without(input.desired, pathsFor(input))))
  try {
    await door.client.apply(resource, asObject(object), {
      fieldManager: OUR_MANAGER,
      signal: input.signal,
      dryRun: true,
    })
    return NO_CONFLICTS
  } catch (error) {
    if (isConflict(error) && error.conflicts.length > 0) {
      return settleConflicts(object, error.conflicts, await input.facts())
    }
    if (refusalOf(error) !== undefined) return NO_CONFLICTS
    throw inOurWords(error)
  }
}

const NO_CONFLICTS: Settlement = { repair: [], handOver: [] }

const pathsFor = ({ desired, handOver }: Input): string[] => {
  const name = objectName(asJson(desired))
  return handOver.filter(({ object }) => object === name).map(({ path }) => path)
}

async function resourceOf({ discovery }: Door, { apiVersion, kind, metadata }: KubeObject): Promise<Resource> {
  const resource = await discovery.resourceFor(apiVersion, kind)
  if (resource === undefined)
    throw raise.KindUnknown(`failed to apply ${kind} ${metadata.name}: ${apiVersion} is not served`)
  return resource
}

async function settled(error: unknown, { desired, facts }: Input): Promise<readonly HandedOver[]> {
  if (!isConflict(error) || error.conflicts.length === 0) throw inOurWords(error)
  return settleConflicts(asJson(desired), error.conflicts, await facts()).handOver
}

const telling = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw inOurWords(error)
  })
