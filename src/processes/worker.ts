import { openAppsControlPlane, type AppsControlPlane } from './apps/control-plane.ts'
import { APPS_QUEUE, openAppsUseCases, type AppsUseCases } from './apps/usecases.ts'
import { readiness } from '../api/index.ts'
import { appsMetrics } from './apps/metrics.ts'
import { appsWorkerServices, type WorkerOptions } from './apps/worker.ts'
import { onlyOnce, untilNothingIsDue, type BoundedQueue } from './shared/bounded-queue.ts'
import type { AppsWorkerPort, AppsWorkerOptions } from '../cli/index.ts'
import { invalid, secretValues, type Config } from '../config/index.ts'
import { databaseCheck } from './shared/database.ts'
import type { AppsEvents } from '../domains/apps/index.ts'
import { decisionLog, createEmitter, messageOf, startAll, systemClock, type KernelEvents } from '../kernel/index.ts'
import { httpTransport, loadKubeConfig, type WatchEvents } from '../kube/index.ts'
import { controlPlaneCheck } from './shared/kubernetes-report.ts'
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

/** What a worker does, on somebody else's database and control plane. */
export function appsWorkerPort(config: Config, env: Env, options: AppsWorkerOptions = {}): AppsWorkerPort {
  const databaseUrl = neededDatabaseUrl(config)
  const scrub = scrubber([...secretValues(config), databaseUrl, new URL(databaseUrl).password])
  const log = makeLogger({
    level: config.logLevel,
    format: config.logFormat === 'auto' ? (process.stderr.isTTY ? 'pretty' : 'json') : config.logFormat,
    scrub,
  })

  const withUseCases = async <T>(work: (useCases: AppsUseCases) => Promise<T>): Promise<T> => {
    const pool = openPool({ url: databaseUrl, applicationName: 'caelus worker', role: 'caelus_api' })
    const valuesKey = config.valuesKey?.reveal()
    const useCases = openAppsUseCases({
      config,
      databaseUrl,
      pool,
      valuesKey,
      localCharts: config.localCharts ?? false,
    })
    try {
      return await work(useCases)
    } finally {
      await useCases.close()
      await pool.end()
    }
  }

  const onControlPlane = <T>(work: (worker: WorkerOptions, useCases: AppsUseCases) => Promise<T>): Promise<T> =>
    withUseCases(async (useCases) => {
      const kubeconfig = neededKubeconfig(config)
      const transport = httpTransport(await loadKubeConfig({ path: kubeconfig, env }))
      let controlPlane: AppsControlPlane | undefined
      try {
        const helm = config.helmBin ?? 'helm'
        controlPlane = await openAppsControlPlane({ config, env, databaseUrl, useCases, transport, kubeconfig, helm })
        return await work(workerOf(config, databaseUrl, controlPlane, log, options), useCases)
      } finally {
        await controlPlane?.close()
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
      onControlPlane(async (worker) => {
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
    once: () => onControlPlane((worker) => run(worker, ([queue]) => untilNothingIsDue(queue))),
    reconcile: (named) =>
      onControlPlane(async (worker, { apps }) => {
        const [called] = (await apps.listDeployments(OPERATOR, { name: named, limit: 1 })).items
        const { id, deploymentUid } = called ?? (await apps.getDeployment(OPERATOR, { id: named }))
        await apps.enqueueReconcile(OPERATOR, { id }, 'retry')
        const key = { kind: 'Deployment', id }
        const ran = await run({ ...worker, isAfresh: true }, ([queue, { pool }]) => onlyOnce(queue, pool, key))
        const { status, lastError } = await apps.getDeployment(OPERATOR, { id })
        return { deployment: deploymentUid, reconciled: ran === 1, status, failure: lastError?.code ?? null }
      }),
    scanDrift: () => withUseCases(({ apps }) => apps.scanDrift(OPERATOR)),
    rotateValuesKey: () => withUseCases(({ apps }) => apps.rotateValuesKey(OPERATOR)),
  }
}

function workerOf(
  config: Config,
  databaseUrl: string,
  controlPlane: AppsControlPlane,
  log: Logger,
  { concurrency, pollSeconds }: AppsWorkerOptions,
): WorkerOptions {
  const told = createEmitter<KernelEvents & WatchEvents & AppsEvents>((error) =>
    log.error({ error }, 'Listener failed'),
  )
  logKernel(told, log)
  traceKernel(told)
  return {
    config,
    databaseUrl,
    controlPlane,
    emitter: told,
    decisions: decisionLog(),
    onError: (error, what) => log.warn({ failure: messageOf(error) }, what),
    ...(concurrency !== undefined && { concurrency }),
    ...(pollSeconds !== undefined && { pollMs: pollSeconds * 1000 }),
  }
}

function probesOf({ config, controlPlane, emitter: told }: WorkerOptions, scrub: (text: string) => string): Probes {
  const metrics = makeMetrics(VERSION)
  metrics.listenTo(told)
  watchMetrics(metrics, told)
  appsMetrics(metrics.registry, told)
  const checks = [databaseCheck(controlPlane.pool), controlPlaneCheck(controlPlane.transport)]
  return probes(
    config,
    readiness(() => checks, systemClock, scrub),
    metrics,
  )
}

export function neededKubeconfig({ kubeconfig }: Config): string {
  if (kubeconfig !== undefined) return kubeconfig
  throw invalid(['CAELUS_KUBECONFIG is not set: this command needs a Kubernetes API server'])
}
