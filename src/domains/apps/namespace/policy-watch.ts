import { service, type Clock, type Emitter, type Queue, type Random, type Service } from '../../../kernel/index.ts'
import {
  cache,
  keeping,
  Namespace,
  repeatedWakes,
  type Cache,
  type Change,
  type Client,
  type CoreV1,
  type KubeObject,
  type RepeatedWakes,
  type WatchEvents,
} from '../../../kube/index.ts'
import type { AppsEvents } from '../events.ts'
import { DEPLOYMENT_LABEL } from '../fence-policy.ts'
import { deploymentKey } from '../queue.ts'
import {
  hasLabels,
  isAsDesired,
  namespaceObjects,
  PLATFORM_KINDS,
  PLATFORM_NAME,
  platformName,
  type NamespacePolicies,
} from './policies.ts'

export interface PolicyWatchDeps {
  readonly client: Client
  /** The ids of the keys are from labels, which administrators of a cluster set as they like: `labelWakes` checks them. */
  readonly queue: Pick<Queue, 'wake'>
  readonly policies: NamespacePolicies
  readonly clock: Clock
  readonly random: Random
  readonly emitter: Emitter<WatchEvents & AppsEvents>
}

/**
 * Watches what the platform puts into the namespaces of deployments. Wakes a deployment when another writer changes or deletes
 * it, and tells without a request whether it is as it should be.
 */
export class PolicyWatch implements Service {
  readonly name = 'apps policy watch'
  readonly #deps: PolicyWatchDeps
  readonly #namespaces: Cache<CoreV1.Namespace>
  readonly #objects: readonly Cache<KubeObject>[]
  readonly #wakes: RepeatedWakes
  readonly #life: Service
  #isSynced = false

  constructor(deps: PolicyWatchDeps) {
    this.#deps = deps
    this.#wakes = repeatedWakes(deps.queue, deps.clock)
    const { client, clock, random, emitter } = deps
    const watching = { source: client, clock, random, emitter }
    const where = { labels: DEPLOYMENT_LABEL }
    this.#namespaces = cache(watching, { resource: Namespace, where, keep: keeping('metadata.labels') })
    this.#namespaces.onChange((change) => this.#relabelled(change))
    this.#objects = PLATFORM_KINDS.map((resource) => {
      const objects = cache<KubeObject>(watching, {
        resource,
        where: { ...where, fields: `metadata.name=${PLATFORM_NAME}` },
        keep: keeping('metadata.labels', 'spec'),
      })
      objects.onChange((change) => this.#touched(resource.kind, change))
      return objects
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

  /** What differs from the policies, as far as the watches show. Undefined: they have not listed everything yet. */
  differing(namespace: string): readonly string[] | undefined {
    const place = this.#namespaces.get({ name: namespace })
    if (!this.#isSynced || place === undefined) return undefined
    const objects = this.#wanted(place).filter(
      (object, index) => !isAsDesired(object, this.#objects[index]?.get({ namespace, name: PLATFORM_NAME })),
    )
    return [
      ...(hasLabels(this.#deps.policies, place) ? [] : [`Namespace/${namespace}`]),
      ...objects.map(({ resource }) => platformName(resource)),
    ]
  }

  #wanted({ metadata: { name, labels } }: CoreV1.Namespace) {
    const deploymentId = labels?.[DEPLOYMENT_LABEL] ?? ''
    return namespaceObjects(this.#deps.policies, { namespace: name, deploymentId })
  }

  async #run(signal: AbortSignal, ready: () => void): Promise<void> {
    const all = [this.#namespaces, ...this.#objects]
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    try {
      await Promise.race([stopped, Promise.all(all.map((each) => each.start()))])
      this.#isSynced = !signal.aborted
      ready()
      await stopped
    } finally {
      this.#wakes.stop()
      await Promise.all(all.map((each) => each.stop()))
    }
  }

  /** Only what was right before: a worker that sets up a namespace needs no wake. */
  #relabelled(change: Change<CoreV1.Namespace>): void {
    const { policies } = this.#deps
    if (change.type !== 'changed' || !hasLabels(policies, change.old) || hasLabels(policies, change.new)) return
    this.#wake(change.new, `Namespace/${change.new.metadata.name}`, 'changed')
  }

  #touched(kind: string, change: Change<KubeObject>): void {
    if (change.type === 'added') return
    const place = this.#namespaces.get({ name: change.old.metadata.namespace ?? '' })
    if (place === undefined || place.metadata.deletionTimestamp !== undefined) return
    const wanted = this.#wanted(place).find(({ resource }) => resource.kind === kind)
    if (wanted === undefined || !isAsDesired(wanted, change.old)) return
    if (change.type === 'changed' && isAsDesired(wanted, change.new)) return
    this.#wake(place, platformName({ kind }), change.type)
  }

  #wake({ metadata: { labels = {} } }: CoreV1.Namespace, object: string, how: 'changed' | 'deleted'): void {
    const { [DEPLOYMENT_LABEL]: deployment = '' } = labels
    this.#deps.emitter.emit('apps:touched', { deployment, object, how })
    this.#wakes.wake(deploymentKey(deployment), { reason: 'drift' })
  }
}
