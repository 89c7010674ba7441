import {
  Event,
  Job,
  Pod,
  ReplicaSet,
  StatefulSet,
  type Client,
  type KubeObject,
  type Resource,
} from '../../../kube/index.ts'
import type { Masker } from '../../../kernel/index.ts'
import { objectName } from '../drift/diff-objects.ts'
import { healthOf, type ObjectHealth } from './health.ts'
import { hasNamespace, viewing } from '../fence.ts'
import { releaseOf, type AppsParts } from '../parts.ts'
import { grantedTo } from '../rows.ts'
import { isInScope } from '../scope.ts'
import { planOf } from '../plan.ts'
import { asJson, inBatches } from '../drift/release-objects.ts'

export interface ResourceEvent {
  /** As the API server writes it. */
  readonly at: string
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  readonly count: number
}

/** One object of a deployment as it is in the control plane. */
export interface LiveResource {
  /** `Pod/web-7d9c`. */
  readonly id: string
  readonly kind: string
  readonly name: string
  /** The id of its owner, if that is one of these. */
  readonly parent: string | null
  readonly health: ObjectHealth['is'] | 'missing' | 'unknown'
  readonly message: string
  /** When it was created, as the API server writes it. */
  readonly since: string | null
  readonly events: readonly ResourceEvent[]
}

/** What the objects of a release make of themselves: enough to find out why a pod does not start. */
const MADE_BY_OTHERS: readonly Resource[] = [ReplicaSet, StatefulSet, Job, Pod]
const MOST_EVENTS = 10

/** The objects of the release and everything they own, owners before what they own. */
export async function resourcesOf(
  parts: AppsParts,
  id: string,
  signal?: AbortSignal,
): Promise<readonly LiveResource[]> {
  const loaded = await parts.rows.load(id)
  if (loaded === undefined || !(await hasNamespace(parts.client, loaded.deployment, signal))) return []
  const client = parts.client.as(viewing)
  const { namespaceName: namespace } = loaded.deployment
  const { mask } = planOf(loaded, parts.settings)
  const record = await parts.releases.newest(releaseOf(loaded.deployment), signal)
  const [listed, made, events] = await Promise.all([
    inBatches(
      (record?.objects ?? []).filter((object) => isInScope(object, namespace, grantedTo(loaded))),
      (object) => liveOf({ ...parts, client }, object, signal),
    ),
    Promise.all(MADE_BY_OTHERS.map((resource) => listAll(client, resource, namespace, signal))),
    client.list(Event, { namespace }, signal),
  ])
  const present = unique([...listed.flatMap(({ live }) => (live === undefined ? [] : [live])), ...made.flat()])
  const byUid = new Map(present.map((object) => [object.metadata.uid, object]))
  const isOfRelease = (object: KubeObject): boolean =>
    listed.some(({ live }) => live?.metadata.uid === object.metadata.uid) || isOwned(object, byUid, isOfRelease)
  const eventsOf = ({ metadata }: KubeObject): ResourceEvent[] =>
    events
      .filter(({ regarding }) => regarding?.uid === metadata.uid)
      .map((event) => told(event, mask))
      .toSorted(newestFirst)
  const seen = present.filter(isOfRelease).map((object): LiveResource => {
    const health = healthOf(object)
    return {
      ...nameOf(object),
      parent: ownersOf(object, byUid).map((owner) => nameOf(owner).id)[0] ?? null,
      health: health.is,
      message: health.is === 'ready' ? '' : mask.excerpt(health.because),
      since: object.metadata.creationTimestamp ?? null,
      events: eventsOf(object).slice(0, MOST_EVENTS),
    }
  })
  const missing = listed
    .filter(({ live }) => live === undefined)
    .map(({ desired }): LiveResource => ({
      ...nameOf(desired),
      parent: null,
      health: 'missing',
      message: 'it is not there',
      since: null,
      events: [],
    }))
  return [...seen, ...missing]
}

async function liveOf({ client, discovery }: AppsParts, desired: KubeObject, signal?: AbortSignal) {
  const resource = await discovery.resourceFor(desired.apiVersion, desired.kind)
  const { namespace, name } = desired.metadata
  const place = namespace === undefined ? { name } : { namespace, name }
  return { desired, live: resource === undefined ? undefined : await client.get(resource, place, signal) }
}

/** A list leaves out what its items are; the resource knows. */
async function listAll(
  client: Client,
  resource: Resource,
  namespace: string,
  signal?: AbortSignal,
): Promise<KubeObject[]> {
  const { group, version, kind } = resource
  const apiVersion = group === '' ? version : `${group}/${version}`
  return (await client.list(resource, { namespace }, signal)).map((object) => ({ ...object, apiVersion, kind }))
}

const unique = (objects: readonly KubeObject[]): KubeObject[] => [
  ...new Map(objects.map((object) => [object.metadata.uid, object])).values(),
]

type ByUid = ReadonlyMap<string | undefined, KubeObject>

const ownersOf = ({ metadata }: KubeObject, byUid: ByUid): KubeObject[] =>
  (metadata.ownerReferences ?? []).flatMap(({ uid }) => byUid.get(uid) ?? [])

const isOwned = (object: KubeObject, byUid: ByUid, isOfRelease: (owner: KubeObject) => boolean): boolean =>
  ownersOf(object, byUid).some(isOfRelease)

const nameOf = (object: KubeObject): Pick<LiveResource, 'id' | 'kind' | 'name'> => ({
  id: objectName(asJson(object)),
  kind: object.kind,
  name: object.metadata.name,
})

function told(event: Event, mask: Masker): ResourceEvent {
  const { type, reason = '', note = '', series, metadata, eventTime } = event
  const { deprecatedLastTimestamp, deprecatedCount } = event
  return {
    at: series?.lastObservedTime ?? deprecatedLastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '',
    type: type === 'Warning' ? 'Warning' : 'Normal',
    reason,
    message: mask.excerpt(note),
    count: series?.count ?? deprecatedCount ?? 1,
  }
}

const newestFirst = (a: ResourceEvent, b: ResourceEvent): number => (a.at < b.at ? 1 : -1)
