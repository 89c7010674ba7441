import { sameValue } from '../../../kernel/index.ts'
import { at, isInvalid, withoutField, type Client, type KubeObject, type Resource } from '../../../kube/index.ts'
import { autoscalersIn } from './autoscalers.ts'
import { objectName } from './diff-objects.ts'
import { driftOf, OUR_MANAGER, type ObjectDrift } from './drift.ts'
import { presentHolder } from '../fence.ts'
import type { ReleaseRecord } from '../helm/port.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../values/json.ts'
import type { AllowedManager, OwnershipFacts } from './allowed-owners.ts'
import type { AppsParts } from '../parts.ts'
import type { Template } from '../types.ts'

/** One object of a release: as we want it, and as it is. */
export interface ReleaseObject {
  /** `Deployment/web`. */
  readonly name: string
  readonly desired: KubeObject
  /** Absent: the server does not know the kind. */
  readonly resource: Resource | undefined
  readonly live: KubeObject | undefined
  readonly drift: ObjectDrift
}

export interface ReleaseObjects {
  readonly objects: readonly ReleaseObject[]
  readonly facts: OwnershipFacts
}

export interface LookOptions {
  readonly namespace: string
  readonly template: Pick<Template, 'capabilities'>
  readonly mask: (text: string) => string
  readonly signal?: AbortSignal
}

const AT_ONCE = 10

/** Reads every object of the record and compares it with what we set. Autoscalers are asked for only when something differs. */
export async function readRelease(
  parts: AppsParts,
  record: Pick<ReleaseRecord, 'objects'>,
  options: LookOptions,
): Promise<ReleaseObjects> {
  const { settings, client, discovery } = parts
  const { namespace, template, mask, signal } = options
  const allowed = [...(settings.allowedManagers ?? []), ...managersAllowedBy(template)]
  const live = await inBatches(record.objects, (desired) => readObject(parts, desired, signal))
  const compare = (facts: OwnershipFacts) =>
    live.map((one) => ({ ...one, drift: driftOf(asJson(one.desired), one.live, facts, mask) }))
  const first = compare({ autoscalers: [], allowed })
  if (first.every(({ drift }) => drift.drifted.length === 0))
    return { objects: first, facts: { autoscalers: [], allowed } }
  const [autoscalers, holder] = await Promise.all([
    autoscalersIn(client, discovery, namespace, signal),
    presentHolder(client, namespace, signal),
  ])
  const facts = { autoscalers, allowed }
  const asker = holder === undefined ? client : client.as(holder)
  return { objects: await inBatches(compare(facts), (one) => confirmed(asker, one, signal)), facts }
}

async function readObject(
  { client, discovery }: AppsParts,
  desired: KubeObject,
  signal?: AbortSignal,
): Promise<Omit<ReleaseObject, 'drift'>> {
  const resource = await discovery.resourceFor(desired.apiVersion, desired.kind)
  const live = resource === undefined ? undefined : await client.get(resource, at(desired), signal)
  return { name: objectName(asJson(desired)), desired, resource, live }
}

/**
 * The API server has the last word: where a dry run of the repair changes nothing, there is nothing to repair. It is asked as
 * the one who would repair: whoever looks need not be allowed to write.
 */
async function confirmed(client: Client, one: ReleaseObject, signal?: AbortSignal): Promise<ReleaseObject> {
  const { drift, resource, live } = one
  if (drift.drifted.length === 0 || resource === undefined || live === undefined) return one
  // What is on its way out cannot be repaired; once it is gone it is missing.
  if (live.metadata.deletionTimestamp !== undefined) return { ...one, drift: { ...drift, drifted: [] } }
  try {
    const options = { fieldManager: OUR_MANAGER, force: true, dryRun: true, ...(signal && { signal }) }
    const repaired = await client.apply(resource, ours(one), options)
    return sameValue(content(repaired), content(live)) ? { ...one, drift: { ...drift, drifted: [] } } : one
  } catch (error) {
    // The repair will meet the same refusal and tell it.
    if (isInvalid(error)) return one
    throw error
  }
}

/** What we apply: everything that the record says, but for the fields that are meant to be another's. */
export const ours = ({ desired, drift }: Pick<ReleaseObject, 'desired' | 'drift'>): KubeObject =>
  without(
    desired,
    drift.leftAlone.map(({ path }) => path),
  )

export const without = (object: KubeObject, paths: readonly string[]): KubeObject =>
  paths.reduce((rest, path) => withoutField(rest, path), asJson(object)) as unknown as KubeObject

function content(object: KubeObject): unknown {
  const { managedFields: _fields, resourceVersion: _version, generation: _generation, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** `capabilities.allowedManagers` of a template: `[{ "manager": "istio*", "under": "metadata.annotations" }]`. */
function managersAllowedBy({ capabilities }: Pick<Template, 'capabilities'>): AllowedManager[] {
  const listed = capabilities['allowedManagers']
  if (!isJsonArray(listed)) return []
  return listed.flatMap((one): AllowedManager[] => {
    if (!isJsonObject(one) || typeof one['manager'] !== 'string') return []
    const under = typeof one['under'] === 'string' ? { under: one['under'] } : {}
    return [{ manager: one['manager'], saidBy: 'template', ...under }]
  })
}

export const asJson = (object: KubeObject): JsonObject => object as unknown as JsonObject

export async function inBatches<A, B>(all: readonly A[], work: (one: A) => Promise<B>): Promise<B[]> {
  const done: B[] = []
  for (let from = 0; from < all.length; from += AT_ONCE) {
    done.push(...(await Promise.all(all.slice(from, from + AT_ONCE).map(work))))
  }
  return done
}
