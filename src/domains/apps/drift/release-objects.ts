import { sameValue } from '../../../kernel/index.ts'
import { at, pathIn, type Client, type KubeObject, type Resource } from '../../../kube/index.ts'
import { autoscalersIn } from './autoscalers.ts'
import { objectName } from './diff-objects.ts'
import { fieldOf, leaveOut, valueDigest } from './manifest-fields.ts'
import { driftOf, NO_MANAGER, OUR_MANAGER, type DifferingField, type ObjectDrift } from './drift.ts'
import { ruleFor, type IgnoreRule } from './ignore-rules.ts'
import { inOurWords, refusalOf } from './refusals.ts'
import { viewing } from '../fence.ts'
import { isInScope } from '../scope.ts'
import type { GrantedObject } from '../grants/grant.ts'
import type { ReleaseRecord } from '../helm/port.ts'
import type { HandedOver, Unrepairable } from '../observed.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../values/json.ts'
import type { AllowedManager, OwnershipFacts } from './allowed-owners.ts'
import type { AppsParts, AppsSettings } from '../parts.ts'
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
  readonly template: Pick<Template, 'capabilities' | 'driftIgnore'>
  /** What the release may have outside of its namespace. @default nothing */
  readonly granted?: readonly GrantedObject[]
  readonly mask: (text: string) => string
  /** What could not be repaired when it was last looked at. */
  readonly known: readonly Unrepairable[]
  readonly signal?: AbortSignal
}

const AT_ONCE = 10

/**
 * Reads every object of the record and compares it with what we set. Autoscalers are asked for only when something differs.
 *
 * It is read as `viewing`. What the record has outside of the scope of a release is left out: whoever can write into the
 * namespace can write any record.
 */
export async function readRelease(
  parts: AppsParts,
  record: Pick<ReleaseRecord, 'objects'>,
  options: LookOptions,
): Promise<ReleaseObjects> {
  const { settings, discovery } = parts
  const client = parts.client.as(viewing)
  const { namespace, template, granted, mask, signal } = options
  const said = { autoscalers: [], ...allowancesOf(settings, template) }
  const own = record.objects.filter((object) => isInScope(object, namespace, granted))
  const live = await inBatches(own, (desired) => readObject({ client, discovery }, desired, signal))
  const compare = (facts: OwnershipFacts) =>
    live.map((one) => ({ ...one, drift: driftOf(asJson(one.desired), one.live, facts, mask) }))
  const told = (one: ReleaseObject): ReleaseObject => named(one, options.known, said.ignored, settings.digestSalt)
  const first = compare(said)
  if (first.every(({ drift }) => drift.drifted.length === 0 && !drift.missing))
    return { objects: first.map(told), facts: said }
  const facts = { ...said, autoscalers: await autoscalersIn(client, discovery, namespace, signal) }
  const found = await inBatches(compare(facts), (one) => confirmed(client, one, options))
  return { objects: found.map(told), facts }
}

/** What the platform and the template leave to others. */
export const allowancesOf = (
  { allowedManagers = [] }: Pick<AppsSettings, 'allowedManagers'>,
  template: LookOptions['template'],
): Pick<OwnershipFacts, 'allowed' | 'ignored'> => ({
  allowed: [...allowedManagers, ...managersAllowedBy(template)],
  ignored: template.driftIgnore,
})

/**
 * With the value that we want in each field that cannot be repaired, and with those that an upgrade has left out of the
 * manifest since: as long as they differ, the next must leave them out, too. Unless a rule covers them.
 */
function named(
  one: ReleaseObject,
  known: readonly Unrepairable[],
  ignored: readonly IgnoreRule[],
  salt: string,
): ReleaseObject {
  const { name, desired, live, drift } = one
  const unrepairable = drift.unrepairable.map((field) =>
    field.path === undefined ? field : { ...field, ours: valueDigest(fieldOf(asJson(desired), field.path), salt) },
  )
  const leftOut = known.flatMap(({ object, ...field }) => {
    const { path, ours: wanted } = field
    if (object !== name || path === undefined || wanted === undefined || live === undefined) return []
    if (fieldOf(asJson(desired), path) !== undefined) return []
    if (ruleFor(asJson(live), pathIn(live, path) ?? [], ignored) !== undefined) return []
    const is = fieldOf(asJson(live), path)
    return is === undefined || valueDigest(is, salt) === wanted ? [] : [field]
  })
  return { ...one, drift: { ...drift, unrepairable: [...unrepairable, ...leftOut] } }
}

/**
 * Fields that somebody changed and nobody can change back: where a new manifest says of them what the old one said, it is
 * not about them, and they must not keep the rest of it from being applied.
 */
export const keptBy = (
  manifest: readonly KubeObject[],
  fields: readonly Unrepairable[],
  salt: string,
): readonly HandedOver[] =>
  fields.flatMap(({ object, path, ours: wanted, because }): HandedOver[] => {
    const next = manifest.map(asJson).find((one) => objectName(one) === object)
    const value = next === undefined || path === undefined ? undefined : fieldOf(next, path)
    if (path === undefined || value === undefined || valueDigest(value, salt) !== wanted) return []
    return [{ object, path, owner: because, why: `it cannot be changed back: ${because}` }]
  })

async function readObject(
  { client, discovery }: Pick<AppsParts, 'client' | 'discovery'>,
  desired: KubeObject,
  signal?: AbortSignal,
): Promise<Omit<ReleaseObject, 'drift'>> {
  const resource = await discovery.resourceFor(desired.apiVersion, desired.kind)
  const live = resource === undefined ? undefined : await client.get(resource, at(desired), signal)
  return { name: objectName(asJson(desired)), desired, resource, live }
}

/**
 * The API server has the last word: where a dry run of the repair changes nothing, there is nothing to repair, and what it
 * refuses cannot be repaired.
 */
async function confirmed(client: Client, one: ReleaseObject, { mask, signal }: LookOptions): Promise<ReleaseObject> {
  const { drift, resource, desired, live } = one
  if (!drift.missing && drift.drifted.length === 0) return one
  if (resource === undefined)
    return unrepairable(one, [{ because: `${desired.apiVersion} ${desired.kind} is not served` }])
  // What is on its way out cannot be repaired; once it is gone it is missing.
  if (live?.metadata.deletionTimestamp !== undefined) return { ...one, drift: { ...drift, drifted: [] } }
  const ask = (fields: ObjectDrift['drifted']) =>
    tried(client, resource, { ...one, drift: { ...drift, drifted: fields } }, one, signal)
  const answer = await ask(drift.drifted)
  if (answer.is === 'same') return { ...one, drift: { ...drift, drifted: [] } }
  if (answer.is === 'changes') return one
  const because = mask(answer.because).slice(0, LONGEST_REFUSAL)
  if (live === undefined) return unrepairable(one, [{ because }])
  return apart(one, ask, because)
}

const LONGEST_REFUSAL = 300
/** More fields than this are not tried one by one. */
const MOST_FIELDS = 10

type Answer =
  | { readonly is: 'same' }
  | { readonly is: 'changes' }
  | { readonly is: 'refused'; readonly because: string }

/** Finds the fields that the refusal is about, so that the others can be repaired without them. */
async function apart(
  one: ReleaseObject,
  ask: (fields: ObjectDrift['drifted']) => Promise<Answer>,
  because: string,
): Promise<ReleaseObject> {
  const { drifted } = one.drift
  const all = unrepairable(
    one,
    drifted.map(({ path, owner }) => ({ because, ...(canBeLeftOut(owner) && { path }) })),
  )
  if (drifted.length === 1 || drifted.length > MOST_FIELDS) return all
  const repairable: DifferingField[] = []
  for (const field of drifted) if ((await ask([field])).is !== 'refused') repairable.push(field)
  const rest = drifted.filter((field) => !repairable.includes(field))
  const isApart = repairable.length > 0 && rest.every(({ owner }) => canBeLeftOut(owner))
  if (!isApart || (await ask(repairable)).is === 'refused') return all
  const found = unrepairable(
    one,
    rest.map(({ path }) => ({ path, because })),
  )
  return { ...found, drift: { ...found.drift, drifted: repairable } }
}

/** A field of ours that is left out of what we apply would be removed. */
const canBeLeftOut = (owner: string): boolean => owner !== OUR_MANAGER && owner !== NO_MANAGER

const unrepairable = (one: ReleaseObject, fields: ObjectDrift['unrepairable']): ReleaseObject => ({
  ...one,
  drift: { ...one.drift, missing: false, drifted: [], unrepairable: fields },
})

/** What became of the object if of its drifted fields only those of `one` were taken back. */
async function tried(
  client: Client,
  resource: Resource,
  one: ReleaseObject,
  whole: ReleaseObject,
  signal?: AbortSignal,
): Promise<Answer> {
  const others = whole.drift.drifted.filter((field) => !one.drift.drifted.includes(field))
  const object = without(
    ours(one),
    others.map(({ path }) => path),
  )
  try {
    const options = { fieldManager: OUR_MANAGER, force: true, dryRun: true, ...(signal && { signal }) }
    const repaired = await client.apply(resource, object, options)
    return { is: one.live !== undefined && sameValue(content(repaired), content(one.live)) ? 'same' : 'changes' }
  } catch (error) {
    const because = refusalOf(error)
    if (because === undefined) throw inOurWords(error)
    return { is: 'refused', because }
  }
}

/** What we apply: everything that the record says, but for the fields that are meant to be another's or cannot be changed. */
export const ours = ({ desired, drift }: Pick<ReleaseObject, 'desired' | 'drift'>): KubeObject =>
  without(
    desired,
    [...drift.leftAlone.filter(({ isLeftOut }) => isLeftOut), ...drift.unrepairable].flatMap(({ path }) => path ?? []),
  )

export const without = (object: KubeObject, paths: readonly string[]): KubeObject =>
  asObject(paths.reduce(leaveOut, asJson(object)))

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

export const asObject = (object: JsonObject): KubeObject => object as unknown as KubeObject

export const asJson = (object: KubeObject): JsonObject => object as unknown as JsonObject

export async function inBatches<A, B>(all: readonly A[], work: (one: A) => Promise<B>): Promise<B[]> {
  const done: B[] = []
  for (let from = 0; from < all.length; from += AT_ONCE) {
    done.push(...(await Promise.all(all.slice(from, from + AT_ONCE).map(work))))
  }
  return done
}
