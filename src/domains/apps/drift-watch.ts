import { createHash } from 'node:crypto'
import { service, type Clock, type Happenings, type Queue, type Random, type Service } from '../../kernel/index.ts'
import {
  byNamespace,
  cache,
  keeping,
  Namespace,
  Secret,
  type Cache,
  type Change,
  type Client,
  type CoreV1,
  type Discovery,
  type KubeObject,
  type ManagedFields,
  type WatchHappenings,
} from '../../kube/index.ts'
import { OUR_MANAGER } from './drift.ts'
import { DEPLOYMENT_LABEL, USER_LABEL } from './fence.ts'
import type { AppsHappenings } from './happenings.ts'
import type { Glimpse, Surroundings } from './looks.ts'
import { deploymentKey } from './queue.ts'

export interface DriftWatchDeps {
  readonly client: Client
  readonly discovery: Discovery
  readonly queue: Pick<Queue, 'wake'>
  readonly clock: Clock
  readonly random: Random
  readonly happenings: Happenings<WatchHappenings & AppsHappenings>
}

/** Helm puts it on everything that it applies. */
const OURS = 'app.kubernetes.io/managed-by=Helm'

/** What is kept of an object of a release: who it is, its version, and what others than Helm have set. */
interface Trace extends KubeObject {
  /** Names everything that managers other than Helm hold, apart from status. */
  readonly others: string
}

type Kind = { readonly apiVersion: string; readonly kind: string }

/**
 * Watches the metadata of every object that Helm has put into namespaces of deployments, of the kinds that occur in
 * their manifests. Wakes a deployment when somebody else changes or deletes one, and tells when nothing was touched.
 *
 * Writes of Helm, and our own which bear its name, wake nobody: they leave what other managers hold as it was.
 */
export class DriftWatch implements Surroundings, Service {
  readonly name = 'apps drift watch'
  readonly #deps: DriftWatchDeps
  readonly #namespaces: Cache<CoreV1.Namespace>
  readonly #records: Cache<KubeObject>
  readonly #kinds = new Map<string, Cache<Trace, KubeObject>>()
  /** Kinds whose first list is complete. */
  readonly #synced = new Set<string>()
  /** Kinds that occur in the manifest of a namespace's release. */
  readonly #occurring = new Map<string, readonly string[]>()
  readonly #life: Service

  constructor(deps: DriftWatchDeps) {
    this.#deps = deps
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
    this.#namespaces.onChange((change) => {
      if (change.type === 'deleted') this.#occurring.delete(change.old.metadata.name)
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

  glimpse(namespace: string): Glimpse | undefined {
    const ours = this.#namespaces.get({ name: namespace })
    if (ours === undefined) return undefined
    const kinds = [...this.#synced].toSorted()
    const versions = kinds.flatMap((kind) => versionsIn(kind, this.#kinds.get(kind), namespace))
    const head = [ours.metadata.uid, ours.metadata.deletionTimestamp, ...versionsIn('', this.#records, namespace)]
    const fingerprint = createHash('sha256')
      .update([...head, ...versions].join('\n'))
      .digest('base64')
    return { fingerprint, kinds }
  }

  isWhole(namespace: string, { kinds }: Glimpse): boolean {
    return this.#occurring.get(namespace)?.every((kind) => kinds.includes(kind)) ?? false
  }

  follow(namespace: string, objects: readonly Kind[]): void {
    const kinds = [...new Set(objects.map(kindText))]
    this.#occurring.set(namespace, kinds)
    for (const object of objects) void this.#track(object)
  }

  async #run(signal: AbortSignal, ready: () => void): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    try {
      await Promise.race([stopped, Promise.all([this.#namespaces.start(), this.#records.start()])])
      ready()
      await stopped
    } finally {
      await Promise.all([this.#namespaces, this.#records, ...this.#kinds.values()].map((each) => each.stop()))
    }
  }

  #watching() {
    const { client, clock, random, happenings } = this.#deps
    return { source: client, clock, random, happenings }
  }

  /** A kind that cannot be watched is looked at instead: its releases then never count as untouched. */
  async #track(object: Kind): Promise<void> {
    const kind = kindText(object)
    if (this.#kinds.has(kind)) return
    const resource = await this.#deps.discovery.resourceFor(object.apiVersion, object.kind).catch(() => undefined)
    if (resource === undefined || this.#kinds.has(kind)) return
    const traces = cache<KubeObject, Trace>(this.#watching(), {
      resource,
      where: { labels: OURS },
      metadataOnly: true,
      indexes: { namespace: byNamespace },
      keep: traceOf,
    })
    this.#kinds.set(kind, traces)
    traces.onChange((change) => this.#changed(object.kind, change))
    void traces.synced.then(() => this.#synced.add(kind))
    await traces.start().catch(() => {})
  }

  /** What goes meanwhile goes by its hand, and whoever runs it looks afterwards. */
  #isHelmAtWork(namespace: string): boolean {
    const records = this.#records.byIndex('namespace', namespace)
    return records.some(({ metadata }) => AT_WORK.test(metadata.labels?.['status'] ?? ''))
  }

  #changed(kind: string, change: Change<Trace>): void {
    if (!isTouched(change)) return
    const { metadata } = change.type === 'deleted' ? change.old : change.new
    const labels = this.#namespaces.get({ name: metadata.namespace ?? '' })?.metadata.labels
    const id = labels?.[DEPLOYMENT_LABEL]
    if (id === undefined || (change.type === 'deleted' && this.#isHelmAtWork(metadata.namespace ?? ''))) return
    const how = change.type === 'deleted' ? 'deleted' : 'changed'
    this.#deps.happenings.emit('apps:touched', { deployment: id, object: `${kind}/${metadata.name}`, how })
    const tenant = labels?.[USER_LABEL]
    // A wake that is lost is made up for by the scan.
    this.#deps.queue
      .wake(deploymentKey(id), { reason: 'drift', ...(tenant !== undefined && { tenant }) })
      .catch(() => {})
  }
}

/** How Helm marks the record of a release while it changes it. */
const AT_WORK = /^(?:pending-|uninstalling)/

const kindText = ({ apiVersion, kind }: Kind): string => `${apiVersion}/${kind}`

const versionsIn = (kind: string, from: Cache<KubeObject> | undefined, namespace: string): string[] =>
  (from?.byIndex('namespace', namespace) ?? [])
    .map(({ metadata }) => `${kind}/${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`)
    .toSorted()

/** What the first list finds was there before; whether it is in order is for the scan to see. */
function isTouched(change: Change<Trace>): boolean {
  if (change.via === 'firstList') return false
  switch (change.type) {
    case 'deleted':
      return true
    case 'added':
      return false
    case 'changed':
      return change.old.others !== change.new.others
    default:
      return change satisfies never
  }
}

const identity = keeping()

const traceOf = (object: KubeObject): Trace => ({
  ...identity(object),
  others: othersIn(object.metadata.managedFields ?? []),
})

/** With times: the same manager may give the same field another value. */
function othersIn(managed: readonly ManagedFields[]): string {
  const others = managed.filter(({ manager, subresource }) => manager !== OUR_MANAGER && subresource !== 'status')
  if (others.length === 0) return ''
  const texts = others.map(({ manager, operation, subresource = '', time = '', fieldsV1 }) =>
    JSON.stringify([manager, operation, subresource, time, fieldsV1]),
  )
  return createHash('sha256').update(texts.toSorted().join('\n')).digest('base64')
}
