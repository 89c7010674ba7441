import { failureOf } from '../../../kernel/index.ts'
import {
  isConflict,
  KubeError,
  type Client,
  type Discovery,
  type KubeObject,
  type Resource,
} from '../../../kube/index.ts'
import { objectName } from './diff-objects.ts'
import { OUR_MANAGER, settleConflicts } from './drift.ts'
import { raise } from '../failures.ts'
import type { OwnershipFacts } from './allowed-owners.ts'
import type { HandedOver } from '../observed.ts'
import { asJson, without } from './release-objects.ts'

export interface Input {
  readonly desired: KubeObject
  /** Left out of what is applied. */
  readonly handOver: readonly HandedOver[]
  /** Asked for when somebody else turns out to hold a field. */
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
 * Makes sure that Helm will meet no conflict with this object of a new manifest: fields that others hold and are not
 * meant to are taken over with the value that they are about to get. Nothing is written when nobody else holds any.
 */
export async function settleAhead(door: Door, input: Input): Promise<readonly HandedOver[]> {
  const resource = await resourceOf(door, input.desired)
  const object = without(input.desired, pathsFor(input))
  const options = { fieldManager: OUR_MANAGER, signal: input.signal }
  try {
    await door.client.apply(resource, object, { ...options, dryRun: true })
    return []
  } catch (error) {
    const handOver = await settled(error, input)
    const rest = without(
      object,
      handOver.map(({ path }) => path),
    )
    if (conflictsOf(error).length > handOver.length)
      await telling(door.client.apply(resource, rest, { ...options, force: true }))
    return handOver
  }
}

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

const conflictsOf = (error: unknown) => (error instanceof KubeError ? error.conflicts : [])

async function settled(error: unknown, { desired, facts }: Input): Promise<readonly HandedOver[]> {
  if (!isConflict(error) || error.conflicts.length === 0) throw inOurWords(error)
  return settleConflicts(asJson(desired), error.conflicts, await facts()).handOver
}

const telling = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw inOurWords(error)
  })

/** The client tells in general terms what an app can be told more exactly. */
function inOurWords(error: unknown): unknown {
  if (!(error instanceof KubeError)) return error
  const { code, message } = failureOf(error)
  if (message.includes('stale fence')) return raise.StaleFence(message, { cause: error })
  if (/field is immutable|updates to statefulset spec for fields other than/.test(message)) {
    return raise.FieldImmutable(message, { cause: error })
  }
  switch (code) {
    case 'KubeInvalid':
      return raise.ObjectInvalid(message, { cause: error })
    case 'KubeQuotaExceeded':
      return raise.QuotaExceeded(message, { cause: error })
    case 'KubeAdmissionDenied':
      return raise.AdmissionRefused(message, { cause: error })
    case 'KubeForbidden':
      return raise.HelmForbidden(message, { cause: error })
    default:
      return error
  }
}
