import { openAppsCluster, type AppsCluster } from './apps/control-plane.ts'
import { APPS_QUEUE, openAppsRoom, type AppsRoom } from './apps/usecases.ts'
import { readiness } from '../api/index.ts'
import { appsMetrics } from './apps/metrics.ts'
import { appsWorkerServices, type WorkerOptions } from './apps/worker.ts'
import { onlyOnce, untilNothingIsDue, type BoundedQueue } from './shared/bounded-queue.ts'
import type { AppsWorkerDoor, AppsWorkerOptions } from '../cli/index.ts'
import { invalid, secretValues, type Config } from '../config/index.ts'
import { databaseCheck } from './shared/database.ts'
import type { AppsHappenings } from '../domains/apps/index.ts'
import { decisionLog, happenings, messageOf, startAll, systemClock, type KernelHappenings } from '../kernel/index.ts'
import { httpTransport, loadKubeConfig, type WatchHappenings } from '../kube/index.ts'
import { clusterCheck } from './shared/kubernetes-report.ts'
import { probes, type Probes } from './shared/probes.ts'
import { neededDatabaseUrl, tracingServices } from './api.ts'
import { aborted, stopSignal } from './shared/stop-signal.ts'
import { openPool } from '../store/index.ts'
import { logKernel, makeLogger, makeMetrics, scrubber, traceKernel, type Logger } from '../telemetry/index.ts'
import { VERSION } from '../version.ts'
import { watchMetrics } from './shared/watch-metrics.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Somebody who works at a terminal looks often; the database is asked once. */
const IMPATIENT_MS = 100

/** The platform itself, by the hand of whoever has its database. */
const OPERATOR = { admin: true } as const

/** What a worker does, on somebody else's database and cluster. */
export function appsWorkerDoor(config: Config, env: Env, options: AppsWorkerOptions = {}): AppsWorkerDoor {
  const databaseUrl = neededDatabaseUrl(config)
  const scrub = scrubber([...secretValues(config), databaseUrl, new URL(databaseUrl).password])
  const log = makeLogger({
    level: config.logLevel,
    format: config.logFormat === 'auto' ? (process.stderr.isTTY ? 'pretty' : 'json') : config.logFormat,
    scrub,
  })

  const inRoom = async <T>(work: (room: AppsRoom) => Promise<T>): Promise<T> => {
    const pool = openPool({ url: databaseUrl, applicationName: 'caelus worker', role: 'caelus_api' })
    const valuesKey = config.valuesKey?.reveal()
    const room = openAppsRoom({ config, databaseUrl, pool, valuesKey, localCharts: config.localCharts ?? false })
    try {
      return await work(room)
    } finally {
      await room.close()
      await pool.end()
    }
  }

  const onCluster = <T>(work: (worker: WorkerOptions, room: AppsRoom) => Promise<T>): Promise<T> =>
    inRoom(async (room) => {
      const kubeconfig = neededKubeconfig(config)
      const transport = httpTransport(await loadKubeConfig({ path: kubeconfig, env }))
      let cluster: AppsCluster | undefined
      try {
        const helm = config.helmBin ?? 'helm'
        cluster = await openAppsCluster({ config, env, databaseUrl, room, transport, kubeconfig, helm })
        return await work(workerOf(config, databaseUrl, cluster, log, options), room)
      } finally {
        await cluster?.close()
        await transport.close()
      }
    })

  const run = async (
    worker: WorkerOptions,
    bound: (queue: Parameters<NonNullable<WorkerOptions['through']>>) => BoundedQueue,
  ): Promise<number> => {
    const made = Promise.withResolvers<BoundedQueue>()
    const services = appsWorkerServices({
      ...worker,
      pollMs: IMPATIENT_MS,
      through: (...queue) => {
        const bounded = bound(queue)
        made.resolve(bounded)
        return bounded.queue
      },
    })
    const stop = await startAll(services)
    try {
      return await Promise.race([(await made.promise).over, ...services.map(({ done }) => done.then(() => 0))])
    } finally {
      await stop()
    }
  }

  return {
    loop: () =>
      onCluster(async (worker) => {
        const signal = stopSignal(() => log.info('Stopping'))
        const doors = probesOf(worker, scrub)
        const services = [...tracingServices(config), doors.service, ...appsWorkerServices(worker)]
        const stop = await startAll(services)
        log.info({ version: VERSION, queue: APPS_QUEUE, probes: doors.url() }, 'Working')
        try {
          await Promise.race([aborted(signal), ...services.map(({ done }) => done)])
        } finally {
          await stop()
        }
      }),
    once: () => onCluster((worker) => run(worker, ([queue]) => untilNothingIsDue(queue))),
    reconcile: (named) =>
      onCluster(async (worker, { apps }) => {
        const [called] = (await apps.listDeployments(OPERATOR, { name: named, limit: 1 })).items
        const { id, deploymentUid } = called ?? (await apps.getDeployment(OPERATOR, { id: named }))
        await apps.enqueueReconcile(OPERATOR, { id }, 'retry')
        const key = { kind: 'Deployment', id }
        const ran = await run({ ...worker, isAfresh: true }, ([queue, { pool }]) => onlyOnce(queue, pool, key))
        const { status, lastError } = await apps.getDeployment(OPERATOR, { id })
        return { deployment: deploymentUid, reconciled: ran === 1, status, failure: lastError?.code ?? null }
      }),
    scanDrift: () => inRoom(({ apps }) => apps.scanDrift(OPERATOR)),
    rotateValuesKey: () => inRoom(({ apps }) => apps.rotateValuesKey(OPERATOR)),
  }
}

function workerOf(
  config: Config,
  databaseUrl: string,
  cluster: AppsCluster,
  log: Logger,
  { concurrency, pollSeconds }: AppsWorkerOptions,
): WorkerOptions {
  const told = happenings<KernelHappenings & WatchHappenings & AppsHappenings>((error) =>
    log.error({ error }, 'Listener failed'),
  )
  logKernel(told, log)
  traceKernel(told)
  return {
    config,
    databaseUrl,
    cluster,
    happenings: told,
    decisions: decisionLog(),
    onError: (error, what) => log.warn({ failure: messageOf(error) }, what),
    ...(concurrency !== undefined && { concurrency }),
    ...(pollSeconds !== undefined && { pollMs: pollSeconds * 1000 }),
  }
}

function probesOf({ config, cluster, happenings: told }: WorkerOptions, scrub: (text: string) => string): Probes {
  const metrics = makeMetrics(VERSION)
  metrics.listenTo(told)
  watchMetrics(metrics, told)
  appsMetrics(metrics.registry, told)
  const checks = [databaseCheck(cluster.pool), clusterCheck(cluster.transport)]
  return probes(
    config,
    readiness(() => checks, systemClock, scrub),
    metrics,
  )
}

export function neededKubeconfig({ kubeconfig }: Config): string {
  if (kubeconfig !== undefined) return kubeconfig
  throw invalid(['CAELUS_KUBECONFIG is not set: this command needs a cluster to act on'])
}
