import type { Clock, Emitter, Random } from '../../../kernel/index.ts'
import { cache, keeping, type At, type Client, type WatchEvents, type WatchTimings } from '../../../kube/index.ts'
import type { ShootWatch } from './gardener.ts'
import { ownShoot } from './own.ts'
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
  const shoots = cache(
    { source: client, clock, emitter, ...(random && { random }) },
    {
      resource: Shoots,
      where: { labels: OF_CAELUS, ...(settings.namespace !== undefined && { namespace: settings.namespace }) },
      keep: keepRead,
      indexes: {
        cluster: ({ metadata }) => [metadata.labels?.[CLUSTER_ID] ?? ''],
        uid: ({ metadata }) => [metadata.uid ?? ''],
      },
      ...(timings && { timings }),
    },
  )
  return {
    name: 'watch of Shoots',
    start: () => shoots.start(),
    stop: (how) => shoots.stop(how),
    done: shoots.done,
    get isCurrent() {
      return shoots.isCurrent
    },
    ofCluster(id, uid) {
      const known = uid === undefined ? [] : shoots.byIndex('uid', uid)
      return ownShoot(id, [...known, ...shoots.byIndex('cluster', id)], uid)
    },
    all: () => shoots.list(),
    onChange: (listener) =>
      shoots.onChange((change) => {
        // Both, where somebody has edited the label.
        const seen = [...('old' in change ? [change.old] : []), ...('new' in change ? [change.new] : [])]
        const ids = new Set(seen.flatMap(({ metadata }) => metadata.labels?.[CLUSTER_ID] ?? []))
        for (const id of ids) listener(id, change.via)
      }),
    wrote: (shoot) => shoots.wrote(shoot),
    removed: (at, uid, remaining) => shoots.deleted(at, uid, remaining),
  }
}
