import { openAppsControlPlane, type AppsControlPlane } from './apps/control-plane.ts'
import { APPS_QUEUE, openAppsUseCases, type AppsUseCases } from './apps/usecases.ts'
import { readiness } from '../api/index.ts'
import { logApps } from './apps/log.ts'
import { appsMetrics } from './apps/metrics.ts'
import { appsWorkerServices, type WorkerOptions } from './apps/worker.ts'
import { onlyOnce, untilNothingIsDue, type BoundedQueue } from './shared/bounded-queue.ts'
import type { AppsWorkerPort, AppsWorkerOptions } from '../cli/index.ts'
import { secretValues, type Config } from '../config/index.ts'
import { databaseCheck } from './shared/database.ts'
import type { AppsEvents } from '../domains/apps/index.ts'
import { atEnd, createEmitter, decisionLog, startAll, systemClock, type KernelEvents } from '../kernel/index.ts'
import type { RequestEvents, WatchEvents } from '../kube/index.ts'
import { runUntilStopped } from './run.ts'
import { connectKubernetes } from './shared/connect.ts'
import { neededDatabaseUrl, neededKubeconfig, type Env } from './shared/environment.ts'
import { controlPlaneCheck } from './shared/kubernetes-report.ts'
import { kubeMetrics } from './shared/kube-metrics.ts'
import { probes, type Probes } from './shared/probes.ts'
import { retentionServices } from './shared/retention.ts'
import { openLog, tracingServices } from './shared/telemetry.ts'
import { openPool } from '../store/index.ts'
import { failureLog, logKernel, makeMetrics, scrubber, traceKernel } from '../telemetry/index.ts'
import { VERSION } from '../version.ts'
import { logWatches } from './shared/watch-log.ts'
import { watchMetrics } from './shared/watch-metrics.ts'

/** How often a command that ends by itself asks for due work: a person waits for it at a terminal. */
const ONE_SHOT_POLL_MS = 100

/** Commands with access to the database act as an admin. */
const OPERATOR = { admin: true } as const

/** The connections of a worker, to be closed when it has ended. */
interface Opened {
  readonly useCases: AppsUseCases
  readonly controlPlane: AppsControlPlane
  readonly worker: WorkerOptions
  readonly close: () => Promise<void>
}

/** The commands of an apps worker, on an external database and control plane. */
export function appsWorkerPort(config: Config, env: Env, options: AppsWorkerOptions = {}): AppsWorkerPort {
  const databaseUrl = neededDatabaseUrl(config)
  const scrub = scrubber([...secretValues(config), databaseUrl, new URL(databaseUrl).password])
  const log = openLog(config, scrub)
  const failures = failureLog(log)
  const emitter = createEmitter<KernelEvents & WatchEvents & AppsEvents & RequestEvents>((error) =>
    log.error({ error }, 'Listener failed'),
  )
  logKernel(emitter, log, failures)
  logWatches(emitter, log, failures)
  logApps(emitter, log, failures)
  traceKernel(emitter)

  const openUseCases = (): Pick<Opened, 'useCases' | 'close'> => {
    const pool = openPool({ url: databaseUrl, applicationName: 'caelus worker', role: 'caelus_api' })
    const valuesKey = config.valuesKey?.reveal()
    const localCharts = config.localCharts ?? false
    const useCases = openAppsUseCases({ config, databaseUrl, pool, valuesKey, localCharts })
    return {
      useCases,
      async close() {
        await useCases.close()
        await pool.end()
      },
    }
  }

  const open = async (): Promise<Opened> => {
    const kubeconfig = neededKubeconfig(config)
    const transport = await connectKubernetes({ kubeconfig, env, emitter })
    const { useCases, close } = openUseCases()
    const helm = config.helmBin ?? 'helm'
    const connected = {
      config,
      env,
      databaseUrl,
      role: 'caelus_worker' as const,
      useCases,
      transport,
      kubeconfig,
      helm,
    }
    const controlPlane = await openAppsControlPlane(connected).catch(async (error: unknown) => {
      await close()
      throw error
    })
    const worker: WorkerOptions = {
      config,
      databaseUrl,
      controlPlane,
      emitter,
      decisions: decisionLog(),
      onError: (error, what) => failures.failed(what, error),
      ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
      ...(options.pollSeconds !== undefined && { pollMs: options.pollSeconds * 1000 }),
    }
    return {
      useCases,
      controlPlane,
      worker,
      async close() {
        await controlPlane.close()
        await transport.close()
        await close()
      },
    }
  }

  /** For commands that end by themselves. */
  const whileOpen = async <T extends Pick<Opened, 'close'>, R>(
    opened: T,
    work: (opened: T) => Promise<R>,
  ): Promise<R> => {
    try {
      return await work(opened)
    } finally {
      await opened.close()
    }
  }

  const run = async (
    worker: WorkerOptions,
    bound: (queue: Parameters<NonNullable<WorkerOptions['through']>>) => BoundedQueue,
  ): Promise<number> => {
    const made = Promise.withResolvers<BoundedQueue>()
    const services = appsWorkerServices({
      ...worker,
      pollMs: ONE_SHOT_POLL_MS,
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

  const probesOf = (controlPlane: AppsControlPlane): Probes => {
    const metrics = makeMetrics(VERSION)
    metrics.listenTo(emitter)
    watchMetrics(metrics, emitter)
    kubeMetrics(metrics.registry, emitter)
    appsMetrics(metrics.registry, emitter)
    const checks = [databaseCheck(controlPlane.pool), controlPlaneCheck(controlPlane.transport)]
    return probes(
      config,
      readiness(() => checks, systemClock, scrub),
      metrics,
    )
  }

  return {
    async loop() {
      const { controlPlane, worker, close } = await open()
      const probing = probesOf(controlPlane)
      const services = [
        atEnd('worker connections', close),
        ...tracingServices(config),
        probing.service,
        ...retentionServices(config, databaseUrl, (error) => failures.failed('Old rows not deleted', error)),
        ...appsWorkerServices(worker),
      ]
      await runUntilStopped(services, {
        log,
        graceMs: config.shutdownGrace,
        onStarted: () => log.info({ version: VERSION, queue: APPS_QUEUE, probes: probing.url() }, 'Working'),
        lastFailure: () => failures.last(),
      })
    },
    once: async () => await whileOpen(await open(), ({ worker }) => run(worker, ([queue]) => untilNothingIsDue(queue))),
    reconcile: async (named) =>
      await whileOpen(await open(), async ({ worker, useCases: { apps } }) => {
        const [called] = (await apps.listDeployments(OPERATOR, { name: named, limit: 1 })).items
        const { id, deploymentUid } = called ?? (await apps.getDeployment(OPERATOR, { id: named }))
        await apps.enqueueReconcile(OPERATOR, { id }, 'retry')
        const key = { kind: 'Deployment', id }
        const ran = await run({ ...worker, isAfresh: true }, ([queue, { pool }]) => onlyOnce(queue, pool, key))
        const { status, lastError } = await apps.getDeployment(OPERATOR, { id })
        return { deployment: deploymentUid, reconciled: ran === 1, status, failure: lastError?.code ?? null }
      }),
    scanDrift: () => whileOpen(openUseCases(), ({ useCases: { apps } }) => apps.scanDrift(OPERATOR)),
    rotateValuesKey: () => whileOpen(openUseCases(), ({ useCases: { apps } }) => apps.rotateValuesKey(OPERATOR)),
  }
}
