import { createHash } from 'node:crypto'
import {
  service,
  sleep,
  type Clock,
  type Emitter,
  type Queue,
  type Random,
  type Service,
} from '../../../kernel/index.ts'
import {
  at,
  byNamespace,
  cache,
  keeping,
  Namespace,
  objectHealth,
  repeatedWakes,
  Secret,
  type Cache,
  type Change,
  type Client,
  type CoreV1,
  type Discovery,
  type KubeObject,
  type ManagedFields,
  type RepeatedWakes,
  type WatchEvents,
} from '../../../kube/index.ts'
import { OUR_MANAGER } from './drift.ts'
import { DEPLOYMENT_LABEL } from '../fence.ts'
import { OWNER_ANNOTATION } from '../fence-policy.ts'
import type { AppsEvents } from '../events.ts'
import { kindIn, kindText } from './kind-text.ts'
import { versionOf, type WatchedVersions, type ReleaseWatch } from './verified-releases.ts'
import { deploymentKey } from '../queue.ts'

export interface DriftWatchDeps {
  readonly client: Client
  readonly discovery: Discovery
  /** The ids of the keys are from labels, which administrators of a cluster set as they like: `labelWakes` checks them. */
  readonly queue: Pick<Queue, 'wake'>
  /** The kinds of the releases here that earlier workers verified. */
  readonly kinds: () => Promise<readonly string[]>
  readonly clock: Clock
  readonly random: Random
  readonly emitter: Emitter<WatchEvents & AppsEvents>
}

/** How the workloads of one release are that were just applied, by what is watched alone. */
export interface WorkloadWatch {
  /** Until it is called off, changes of health in the namespace wake no run: the one that makes them looks afterwards. */
  expectChanges(namespace: string): () => void
  areHealthy(applied: readonly KubeObject[]): boolean
  /** Resolves once they are, or once `ms` are over. Their kinds are watched from now on. */
  untilHealthy(applied: readonly KubeObject[], ms: number, signal: AbortSignal): Promise<void>
}

/** Helm puts it on everything that it applies. */
const OURS = 'app.kubernetes.io/managed-by=Helm'

/** How long a start waits for the kinds that were followed before. What comes later is looked at instead. */
const CATCH_UP_MS = 10_000

/** What is kept of an object of a release: who it is, its version, what others than Helm have set, and how it is. */
interface Trace extends KubeObject {
  /** Names everything that managers other than Helm hold, apart from status. */
  readonly others: string
  /** Whose it is, of an object of the whole cluster. */
  readonly release?: string
  /** Of kinds that are watched whole. */
  readonly health?: 'ready' | 'progressing' | 'down' | 'failing'
}

/** Kinds whose status tells whether an app is healthy. Of the others metadata are enough. */
const WATCHED_WHOLE: ReadonlySet<string> = new Set([
  'apps/v1/Deployment',
  'apps/v1/StatefulSet',
  'apps/v1/DaemonSet',
  'apps/v1/ReplicaSet',
  'batch/v1/Job',
  'v1/PersistentVolumeClaim',
  'v1/Pod',
  'v1/Service',
])

/**
 * Watches every object that Helm has put into namespaces of deployments, of the kinds that occur in their manifests. Wakes a
 * deployment when another writer changes or deletes one or when its health changes, and knows when nothing was changed.
 *
 * Writes of Helm, and our own under its manager name, cause no wake: they leave what other managers hold as it was.
 */
export class DriftWatch implements ReleaseWatch, WorkloadWatch, Service {
  readonly name = 'apps drift watch'
  readonly #deps: DriftWatchDeps
  readonly #namespaces: Cache<CoreV1.Namespace>
  readonly #records: Cache<KubeObject>
  readonly #kinds = new Map<string, Cache<Trace, KubeObject>>()
  /** Kinds whose first list is complete. */
  readonly #synced = new Set<string>()
  readonly #life: Service
  readonly #wakes: RepeatedWakes
  /** Of the runs that change a namespace at present. Called after every change in it. */
  readonly #listeners = new Map<string, Set<() => void>>()
  #isOver = false

  constructor(deps: DriftWatchDeps) {
    this.#deps = deps
    this.#wakes = repeatedWakes(deps.queue, deps.clock)
    const watching = this.#watching()
    this.#namespaces = cache(watching, {
      resource: Namespace,
      where: { labels: DEPLOYMENT_LABEL },
      keep: keeping('metadata.labels', 'status.phase'),
    })
    this.#records = cache<KubeObject>(watching, {
      resource: Secret,
      where: { labels: 'owner=helm' },
      metadataOnly: true,
      indexes: { namespace: byNamespace },
      keep: keeping('metadata.labels.status'),
    })
    this.#life = service(this.name, (signal, ready) => this.#run(signal, ready))
  }

  start(): Promise<void> {
    return this.#life.start()
  }

  stop(): Promise<void> {
    return this.#life.stop()
  }

  get done(): Promise<void> {
    return this.#life.done
  }

  glimpse(namespace: string): WatchedVersions | undefined {
    const ours = this.#namespaces.get({ name: namespace })
    if (ours === undefined) return undefined
    const { uid, deletionTimestamp, labels } = ours.metadata
    return {
      place: JSON.stringify([uid, deletionTimestamp, labels?.[DEPLOYMENT_LABEL]]),
      records: versionsIn(this.#records, namespace),
      objects: new Map([...this.#synced].map((kind) => [kind, versionsIn(this.#kinds.get(kind), namespace)])),
    }
  }

  follow(kinds: readonly string[]): void {
    for (const kind of kinds) void this.#track(kind)
  }

  expectChanges(namespace: string): () => void {
    return this.#listen(namespace, () => {})
  }

  areHealthy(applied: readonly KubeObject[]): boolean {
    const healthIn = (object: KubeObject) => this.#kinds.get(kindText(object))?.get(at(object))?.health
    return workloadsIn(applied).every((object) => healthIn(object) === 'ready')
  }

  async untilHealthy(applied: readonly KubeObject[], ms: number, signal: AbortSignal): Promise<void> {
    const workloads = workloadsIn(applied)
    this.follow(workloads.map(kindText))
    const healthy = new AbortController()
    const check = (): void => {
      if (this.areHealthy(workloads)) healthy.abort()
    }
    const stop = this.#listen(workloads[0]?.metadata.namespace ?? '', check)
    check()
    await sleep(this.#deps.clock, ms, AbortSignal.any([healthy.signal, signal])).catch(() => {})
    stop()
    signal.throwIfAborted()
  }

  #listen(namespace: string, listener: () => void): () => void {
    const all = this.#listeners.get(namespace) ?? new Set()
    this.#listeners.set(namespace, all.add(listener))
    return () => {
      if (all.delete(listener) && all.size === 0) this.#listeners.delete(namespace)
    }
  }

  tellsHealthOf(kind: string): boolean {
    return WATCHED_WHOLE.has(kind) && this.#synced.has(kind)
  }

  async #run(signal: AbortSignal, ready: () => void): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    try {
      const first = [this.#namespaces.start(), this.#records.start(), this.#catchUp(signal)]
      await Promise.race([stopped, Promise.all(first)])
      ready()
      await stopped
    } finally {
      this.#isOver = true
      this.#wakes.stop()
      await Promise.all([this.#namespaces, this.#records, ...this.#kinds.values()].map((each) => each.stop()))
    }
  }

  /** So that what workers before have found can be believed from the first pass on. */
  async #catchUp(signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const followed = this.#deps.kinds().then((kinds) => Promise.all(kinds.map((kind) => this.#track(kind))))
    const late = sleep(this.#deps.clock, CATCH_UP_MS, AbortSignal.any([signal, over.signal]))
    // Without the list everything is looked at, as when nothing was kept.
    await Promise.race([followed, late]).catch(() => {})
    over.abort()
  }

  #watching() {
    const { client, clock, random, emitter } = this.#deps
    return { source: client, clock, random, emitter }
  }

  /** A kind that cannot be watched is looked at instead: its releases then never count as untouched. */
  async #track(text: string): Promise<void> {
    if (this.#kinds.has(text)) return
    const { apiVersion, kind } = kindIn(text)
    const resource = await this.#deps.discovery.resourceFor(apiVersion, kind).catch(() => undefined)
    if (resource === undefined || this.#kinds.has(text) || this.#isOver) return
    const traces = cache<KubeObject, Trace>(this.#watching(), {
      resource,
      where: { labels: OURS },
      metadataOnly: !WATCHED_WHOLE.has(text),
      indexes: { namespace: byNamespace },
      keep: WATCHED_WHOLE.has(text) ? traceWithHealth : traceOf,
    })
    this.#kinds.set(text, traces)
    traces.onChange((change) => this.#changed(kind, change))
    void traces.synced.then(() => this.#synced.add(text))
    await traces.start().catch(() => {})
  }

  /** What goes meanwhile goes by its hand, and whoever runs it looks afterwards. */
  #isHelmAtWork(namespace: string): boolean {
    const records = this.#records.byIndex('namespace', namespace)
    return records.some(({ metadata }) => AT_WORK.test(metadata.labels?.['status'] ?? ''))
  }

  #changed(kind: string, change: Change<Trace>): void {
    const { metadata, release = '' } = change.type === 'deleted' ? change.old : change.new
    const namespace = metadata.namespace ?? release
    const listeners = this.#listeners.get(namespace)
    for (const listener of listeners ?? []) listener()
    const reason = wakeFor(change)
    if (reason === undefined || (reason === 'childChanged' && listeners !== undefined)) return
    const id = this.#namespaces.get({ name: namespace })?.metadata.labels?.[DEPLOYMENT_LABEL]
    if (id === undefined || (change.type === 'deleted' && this.#isHelmAtWork(namespace))) return
    const how = change.type === 'deleted' ? 'deleted' : 'changed'
    if (reason === 'drift') {
      this.#deps.emitter.emit('apps:touched', { deployment: id, object: `${kind}/${metadata.name}`, how })
    }
    this.#wakes.wake(deploymentKey(id), { reason })
  }
}

const workloadsIn = (objects: readonly KubeObject[]): KubeObject[] =>
  objects.filter((object) => WATCHED_WHOLE.has(kindText(object)))

/** How Helm marks the record of a release while it changes it. */
const AT_WORK = /^(?:pending-|uninstalling)/

const versionsIn = (from: Cache<KubeObject> | undefined, namespace: string): string[] =>
  (from?.byIndex('namespace', namespace) ?? []).map(versionOf).toSorted()

/** What the first list finds was there before; whether it is in order is for the scan to see. */
function wakeFor(change: Change<Trace>): 'drift' | 'childChanged' | undefined {
  if (change.via === 'firstList') return undefined
  switch (change.type) {
    case 'deleted':
      return 'drift'
    case 'added':
      return undefined
    case 'changed':
      if (change.old.others !== change.new.others) return 'drift'
      return change.old.health === change.new.health ? undefined : 'childChanged'
    default:
      return change satisfies never
  }
}

const identity = keeping()

function traceOf(object: KubeObject): Trace {
  const { namespace, annotations, managedFields = [] } = object.metadata
  const release = namespace === undefined ? annotations?.[OWNER_ANNOTATION] : undefined
  return { ...identity(object), others: othersIn(managedFields), ...(release !== undefined && { release }) }
}

function traceWithHealth(object: KubeObject): Trace {
  const health = objectHealth(object)
  return { ...traceOf(object), health: health.is === 'progressing' && health.isDown === true ? 'down' : health.is }
}

/** With times: the same manager may give the same field another value. */
function othersIn(managed: readonly ManagedFields[]): string {
  const others = managed.filter(({ manager, subresource }) => manager !== OUR_MANAGER && subresource !== 'status')
  if (others.length === 0) return ''
  const texts = others.map(({ manager, operation, subresource = '', time = '', fieldsV1 }) =>
    JSON.stringify([manager, operation, subresource, time, fieldsV1]),
  )
  return createHash('sha256').update(texts.toSorted().join('\n')).digest('base64')
}
