import type {
  Backoff,
  Clock,
  DecisionLog,
  Emitter,
  KernelEvents,
  Queue,
  Random,
  Service,
  TargetLocks,
} from '../../kernel/index.ts'
import type { Transport, WatchEvents } from '../../kube/index.ts'
import { rowWorker } from '../../store/index.ts'
import { reportGivenUp } from './given-up.ts'
import type { AppsEvents } from './events.ts'
import type { Charts, Helm, Releases } from './helm/port.ts'
import type { VerifiedReleaseStore } from './drift/verified-releases.ts'
import type { AppsSettings } from './parts.ts'
import { scannedDeployment } from './queue.ts'
import { appsReconcile } from './reconciler.ts'
import { APPS_BACKOFF } from './rollout.ts'
import type { DeploymentRows } from './rows.ts'
import type { Clusters } from './targets/port.ts'
import { appsTarget } from './targets/target.ts'
import { workerClusters } from './targets/worker-clusters.ts'

export interface AppsWorkerDeps {
  /** Has the worker's own identity, which must be allowed to impersonate `caelus:worker`. */
  readonly transport: Transport
  /** The queue named `APPS_QUEUE`. */
  readonly queue: Queue
  readonly rows: DeploymentRows
  readonly verified: VerifiedReleaseStore
  readonly charts: Charts
  readonly helm: Helm
  readonly releases: Releases
  /** Shared by all domains. */
  readonly locks: TargetLocks
  /** @default deployments in clusters wait for a worker that has them */
  readonly clusters?: Clusters
  readonly settings: AppsSettings
  readonly clock: Clock
  readonly random: Random
  readonly emitter: Emitter<KernelEvents & WatchEvents & AppsEvents>
  readonly decisions: DecisionLog
  /** The version of this program: releases that another version verified are observed again. */
  readonly version: string
  /** Identifies this process: the pod's name. */
  readonly instance: string
  /** @default 4 */
  readonly concurrency?: number
  /** Runs beyond `concurrency` that wait for a hook of Helm. @default half as many again */
  readonly waitingAtMost?: number
  /** The most concurrent runs of one tenant. @default concurrency - 1, at least 1 */
  readonly perTenant?: number
  /** @default 2_000 */
  readonly pollMs?: number
  /** How long runs may go on after a regular stop before they are aborted. @default 20_000 */
  readonly stopGraceMs?: number
  /** Between two drift scans. @default 600_000 */
  readonly driftScanMs?: number
  /** Also bounds how often one digest is tried. @default `APPS_BACKOFF` */
  readonly backoff?: Backoff
}

/** A run may contain several hooks, each with a timeout of up to two hours. */
const LONGEST_RUN_MS = 6 * 3_600_000

/** Each is a Helm process whose memory has to fit into the pod. */
export const waitingBeside = (concurrency: number): number => Math.ceil(concurrency / 2)

/** The services of an apps worker, in the order to start them. Any number of workers may share one queue. */
export function appsWorker(deps: AppsWorkerDeps): readonly Service[] {
  const { queue, rows, clock, random, emitter, backoff = APPS_BACKOFF, driftScanMs = 600_000 } = deps
  const target = appsTarget({ ...deps, clusterId: null, scanMs: driftScanMs })
  const clusters = deps.clusters && workerClusters(deps.clusters, { ...deps, scanMs: driftScanMs })
  const working = rowWorker({
    name: 'apps',
    instance: deps.instance,
    queue,
    reconcile: appsReconcile({ ...target, clusters: clusters?.targets, emitter, backoff }),
    reportGivenUp: reportGivenUp(rows, clock),
    emitter,
    decisions: deps.decisions,
    concurrency: deps.concurrency ?? 4,
    waitingAtMost: deps.waitingAtMost ?? waitingBeside(deps.concurrency ?? 4),
    timeoutMs: LONGEST_RUN_MS,
    backoff,
    clock,
    random,
    drift: {
      everyMs: driftScanMs,
      page: async (after, limit) => (await rows.living(after, limit)).map(scannedDeployment),
      onScanned: ({ count, ms }) => emitter.emit('apps:scanned', { deployments: count, ms }),
    },
    ...(deps.perTenant !== undefined && { perTenant: deps.perTenant }),
    ...(deps.pollMs !== undefined && { pollMs: deps.pollMs }),
    ...(deps.stopGraceMs !== undefined && { stopGraceMs: deps.stopGraceMs }),
  })
  return [...target.services, ...(clusters?.services ?? []), ...working]
}
