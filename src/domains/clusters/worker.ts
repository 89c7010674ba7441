import {
  answerWithin,
  controller,
  every,
  type Backoff,
  type Clock,
  type DecisionLog,
  type Emitter,
  type KernelEvents,
  type Queue,
  type Random,
  type Reconcile,
  type Service,
} from '../../kernel/index.ts'
import type { ClustersEvents } from './events.ts'
import type { Gardener } from './gardener/gardener.ts'
import { reportGivenUp } from './given-up.ts'
import { orphansReconcile, orphansService, type OrphanLimits } from './orphans.ts'
import { fallbackPoll, passService } from './pass.ts'
import { CLUSTERS_QUEUE, ORPHANS } from './queue.ts'
import { clustersReconcile } from './reconciler.ts'
import type { ClusterRows } from './rows.ts'
import type { GardenerSettings } from './shoot/wanted.ts'
import { shootWakes } from './shoot-wakes.ts'

export interface ClustersWorkerDeps {
  readonly gardener: Gardener
  readonly settings: GardenerSettings
  /** The queue named `CLUSTERS_QUEUE`. */
  readonly queue: Queue
  readonly rows: ClusterRows
  readonly clock: Clock
  readonly random: Random
  readonly emitter: Emitter<KernelEvents & ClustersEvents>
  readonly decisions: DecisionLog
  /** Identifies this process: the pod's name. */
  readonly instance: string
  /** @default 8 */
  readonly concurrency?: number
  /** The most concurrent runs of one organization. @default concurrency - 1, at least 1 */
  readonly perTenant?: number
  /** POLL_INTERVAL. @default 30_000 */
  readonly pollMs?: number
  /** How long runs may go on after a regular stop before they are aborted. @default 20_000 */
  readonly stopGraceMs?: number
  /** RECONCILE_INTERVAL: between two passes over all clusters, and over all Shoots. @default 300_000 */
  readonly passMs?: number
  /** STATUS_POLL_INTERVAL, while the watch is not current. @default 30_000 */
  readonly statusPollMs?: number
  /** STATUS_POLL_BATCH_SIZE. @default 50 */
  readonly statusPollAtMost?: number
  /** @default ORPHAN_LIMITS */
  readonly orphans?: OrphanLimits
  /** @default CLUSTERS_BACKOFF */
  readonly backoff?: Backoff
  /** @default clustersReconcile */
  readonly reconcile?: typeof clustersReconcile
}

/** The n-th failure waits 30 s × 2^(n-1), at most 15 min. A sync never gives up. */
export const CLUSTERS_BACKOFF: Backoff = { baseMs: 30_000, capMs: 900_000 }

const HEARTBEAT_MS = 5_000
/** A server that is slower than this is as good as away for the age of statuses. */
const ANSWER_MS = 3_000
/** A run makes a handful of requests. */
const LONGEST_RUN_MS = 120_000

/** The services of a clusters worker, in the order to start them. Any number of workers may share one queue. */
export function clustersWorker(deps: ClustersWorkerDeps): readonly Service[] {
  const { gardener, settings, queue, rows, clock, random, emitter, instance } = deps
  const { passMs = 300_000, statusPollMs = 30_000, statusPollAtMost = 50, concurrency = 8 } = deps
  const makeReconcile = deps.reconcile ?? clustersReconcile
  const ofCluster = makeReconcile({ gardener, rows, settings, clock, emitter })
  const ofOrphans = orphansReconcile({
    gardener,
    rows,
    clock,
    emitter,
    everyMs: passMs,
    ...(deps.orphans && { limits: deps.orphans }),
  })
  const reconcile: Reconcile = (run) => (run.key.kind === ORPHANS ? ofOrphans(run) : ofCluster(run))
  const passing = { gardener, settings, rows, queue, clock, emitter }
  return [
    shootWakes({ shoots: gardener.shoots, queue, clock }),
    startedBeside(gardener.shoots),
    controller({
      name: CLUSTERS_QUEUE,
      worker: instance,
      queue,
      reconcile,
      reportGivenUp: reportGivenUp(rows, clock),
      emitter,
      decisions: deps.decisions,
      concurrency,
      timeoutMs: LONGEST_RUN_MS,
      backoff: deps.backoff ?? CLUSTERS_BACKOFF,
      pollMs: deps.pollMs ?? 30_000,
      clock,
      random,
      ...(deps.perTenant !== undefined && { perTenant: deps.perTenant }),
      ...(deps.stopGraceMs !== undefined && { stopGraceMs: deps.stopGraceMs }),
    }),
    passService(passing, passMs),
    orphansService(queue, clock, passMs),
    fallbackPoll(passing, statusPollMs, statusPollAtMost),
    heartbeat(deps),
  ]
}

/** Clusters are also worked on while Gardener does not answer: their rows then say so. */
const startedBeside = (watch: Service): Service => ({
  name: watch.name,
  done: watch.done,
  start: async () => void watch.start().catch(() => {}),
  stop: (how) => watch.stop(how),
})

/**
 * While the watch is current, every status is as old as the last heartbeat at most. Gardener is asked each time: a watch on
 * which nothing happens looks the same as one whose network is gone.
 */
function heartbeat({ gardener, rows, clock, emitter, instance }: ClustersWorkerDeps): Service {
  let wasCurrent: boolean | undefined
  const answers = (signal: AbortSignal): Promise<boolean> =>
    answerWithin({ clock, ms: ANSWER_MS, call: 'Gardener' }, () => gardener.ping(signal)).then(
      () => true,
      () => false,
    )
  const beat = async (signal: AbortSignal): Promise<void> => {
    const isCurrent = gardener.shoots.isCurrent && (await answers(signal)) && gardener.shoots.isCurrent
    if (isCurrent !== wasCurrent) emitter.emit('clusters:watch', { isCurrent })
    wasCurrent = isCurrent
    if (isCurrent) await rows.seen(instance)
  }
  return every('clusters heartbeat', HEARTBEAT_MS, beat, { clock })
}
