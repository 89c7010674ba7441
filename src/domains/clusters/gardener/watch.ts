import { createEmitter, type Clock, type Emitter, type Random } from '../../../kernel/index.ts'
import { cache, keeping, type At, type Client, type WatchEvents, type WatchTimings } from '../../../kube/index.ts'
import type { ShootWatch } from './gardener.ts'
import { Shoots } from './resources.ts'
import { CLUSTER_ID, CLUSTER_NAME, FENCE, GARDENER_OPERATION, OPERATION_ID, type Shoot } from './shoot.ts'

/** Selects the Shoots of Caelus. */
export const OF_CAELUS = CLUSTER_ID

/** All that is read of a Shoot. A Shoot of Gardener is some 10 KiB, most of it managed fields and defaults. */
export const keepRead = keeping<Shoot>(
  'metadata.creationTimestamp',
  'metadata.labels',
  'metadata.finalizers',
  ...[CLUSTER_NAME, FENCE, OPERATION_ID, GARDENER_OPERATION].map(
    (name) => `metadata.annotations.${name.replaceAll('.', '\\.')}`,
  ),
  'spec.cloudProfile',
  'spec.region',
  'spec.credentialsBindingName',
  'spec.kubernetes.version',
  'spec.networking.type',
  'spec.networking.nodes',
  'spec.hibernation.enabled',
  'spec.maintenance.autoUpdate',
  'spec.maintenance.timeWindow',
  'spec.provider.type',
  ...[
    'name',
    'machine.type',
    'machine.image.name',
    'machine.image.version',
    'minimum',
    'maximum',
    'maxSurge',
    'maxUnavailable',
  ].map((field) => `spec.provider.workers.${field}`),
  'status.observedGeneration',
  'status.technicalID',
  'status.hibernated',
  'status.lastOperation',
  'status.lastErrors',
  ...['type', 'status', 'reason', 'message', 'codes', 'lastTransitionTime'].map(
    (field) => `status.conditions.${field}`,
  ),
  'status.credentials.rotation',
  'status.advertisedAddresses',
)

export interface ShootWatchOptions {
  readonly client: Client
  readonly clock: Clock
  readonly emitter: Emitter<WatchEvents>
  readonly settings: { readonly namespace?: string }
  readonly random?: Random
  readonly timings?: Partial<WatchTimings>
}

/** The watch, and what we tell it about our own writes. */
export interface OwnShootWatch extends ShootWatch {
  wrote(shoot: Shoot): void
  removed(at: At, uid: string, remaining: Shoot | undefined): void
}

export function shootWatch({ client, clock, emitter, settings, random, timings }: ShootWatchOptions): OwnShootWatch {
  const own = createEmitter<WatchEvents>()
  let isCurrent = false
  own.on('watch:connected', (what) => tell('watch:connected', what, true))
  own.on('watch:relisted', (what) => tell('watch:relisted', what, true))
  own.on('watch:reconnected', (what) => tell('watch:reconnected', what, true))
  own.on('watch:error', (what) => tell('watch:error', what, false))
  own.on('watch:idle', (what) => tell('watch:idle', what, false))
  own.on('watch:behind', (what) => emitter.emit('watch:behind', what))
  function tell<E extends keyof WatchEvents>(event: E, what: WatchEvents[E], current: boolean): void {
    isCurrent = current
    emitter.emit(event, what)
  }

  const shoots = cache(
    { source: client, clock, emitter: own, ...(random && { random }) },
    {
      resource: Shoots,
      where: { labels: OF_CAELUS, ...(settings.namespace !== undefined && { namespace: settings.namespace }) },
      keep: keepRead,
      indexes: { cluster: ({ metadata }) => [metadata.labels?.[CLUSTER_ID] ?? ''] },
      ...(timings && { timings }),
    },
  )
  return {
    name: 'watch of Shoots',
    start: () => shoots.start(),
    async stop(how) {
      await shoots.stop(how)
      isCurrent = false
    },
    done: shoots.done,
    get isCurrent() {
      return isCurrent
    },
    ofCluster: (id) => shoots.byIndex('cluster', id).toSorted(byAge)[0],
    all: () => shoots.list(),
    onChange: (listener) =>
      shoots.onChange((change) => {
        const { metadata } = change.type === 'deleted' ? change.old : change.new
        const id = metadata.labels?.[CLUSTER_ID]
        if (id !== undefined) listener(id, change.via)
      }),
    wrote: (shoot) => shoots.wrote(shoot),
    removed: (at, uid, remaining) => shoots.deleted(at, uid, remaining),
  }
}

/** The oldest first; of the same second, by name. */
function byAge(a: Shoot, b: Shoot): number {
  const key = ({ metadata }: Shoot): string =>
    `${metadata.creationTimestamp ?? ''} ${metadata.namespace ?? ''}/${metadata.name}`
  return key(a) < key(b) ? -1 : 1
}
