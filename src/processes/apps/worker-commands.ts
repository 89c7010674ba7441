import type { AppsWorkerOptions, AppsWorkerPort } from '../../cli/commands/apps/index.ts'
import { APPS } from '../../config/apps.ts'
import { SERVER, type Config, type Env } from '../../config/index.ts'
import { startAll } from '../../kernel/index.ts'
import type { HttpTransport } from '../../kube/index.ts'
import { onlyOnce, untilNothingIsDue, type BoundedQueue } from '../shared/bounded-queue.ts'
import { connectKubernetes } from '../shared/connect.ts'
import { neededDatabaseUrl, neededKubeconfig, secretsIn } from '../shared/environment.ts'
import { openHost } from '../shared/host.ts'
import { decisionServices } from '../shared/kept-decisions.ts'
import { controlPlaneCheck } from '../shared/kubernetes-report.ts'
import { probeAddress } from '../shared/probes.ts'
import { runWorkerLoop } from '../shared/worker-loop.ts'
import { openPool } from '../../store/index.ts'
import { openAccess } from '../clusters/access.ts'
import { openAppsControlPlane, type AppsControlPlane } from './control-plane.ts'
import { appsEvents } from './events.ts'
import { appsProcess } from './process.ts'
import { APPS_QUEUE } from '../../domains/apps/index.ts'
import { openAppsUseCases, type AppsUseCases } from './usecases.ts'
import { appsWorkerServices, type WorkerOptions } from './worker.ts'

/** How often `run-worker-once` asks for due work: a person waits for it at a terminal. */
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
  const host = openHost({ config, env, domains: [appsProcess()], secrets: secretsIn(databaseUrl) })
  const { emitter, decisions, onError } = host

  const openUseCases = (): Pick<Opened, 'useCases' | 'close'> => {
    const pool = openPool({ url: databaseUrl, applicationName: 'caelus worker', role: 'caelus_api' })
    const useCases = openAppsUseCases({ config, databaseUrl, pool })
    return {
      useCases,
      async close() {
        await useCases.close()
        await pool.end()
      },
    }
  }

  const connect = (): Promise<HttpTransport> =>
    connectKubernetes({ kubeconfig: neededKubeconfig(config), env, emitter })

  const open = async (transport: HttpTransport): Promise<Opened> => {
    const { useCases, close } = openUseCases()
    const reached = await openAccess(host, databaseUrl)
    const closeAll = async (): Promise<void> => {
      await reached?.close()
      await close()
    }
    const connected = {
      config,
      env,
      databaseUrl,
      role: 'caelus_worker' as const,
      useCases,
      transport,
      kubeconfig: neededKubeconfig(config),
      helm: config.of(APPS).helmBin ?? 'helm',
      ...(reached && { clusters: { access: reached.access, emitter, onError } }),
    }
    const controlPlane = await openAppsControlPlane(connected).catch(async (error: unknown) => {
      await closeAll()
      throw error
    })
    const worker: WorkerOptions = {
      config,
      databaseUrl,
      controlPlane,
      emitter: appsEvents(emitter),
      decisions,
      onError,
      ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
      ...(options.pollSeconds !== undefined && { pollMs: options.pollSeconds * 1000 }),
    }
    return {
      useCases,
      controlPlane,
      worker,
      async close() {
        await controlPlane.close()
        await closeAll()
      },
    }
  }

  /** For commands that end when their work is done. */
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
  const whileConnected = async <R>(work: (opened: Opened) => Promise<R>): Promise<R> => {
    const transport = await connect()
    return await whileOpen(transport, async () => await whileOpen(await open(transport), work))
  }

  const run = async (
    worker: WorkerOptions,
    bound: (queue: Parameters<NonNullable<WorkerOptions['through']>>) => BoundedQueue,
  ): Promise<number> => {
    const made = Promise.withResolvers<BoundedQueue>()
    const ofWorker = appsWorkerServices({
      ...worker,
      pollMs: ONE_SHOT_POLL_MS,
      through: (...queue) => {
        const bounded = bound(queue)
        made.resolve(bounded)
        return bounded.queue
      },
    })
    const services = [...decisionServices(host, databaseUrl), ...ofWorker]
    const stop = await startAll(services)
    try {
      return await Promise.race([(await made.promise).over, ...services.map(({ done }) => done.then(() => 0))])
    } finally {
      await stop()
    }
  }

  return {
    loop: () =>
      runWorkerLoop({
        host,
        databaseUrl,
        queue: APPS_QUEUE,
        address: probeAddress(config),
        graceMs: config.of(SERVER).shutdownGrace,
        async connect() {
          const transport = await connect()
          return {
            checks: [controlPlaneCheck(transport)],
            async open() {
              const { worker, close } = await open(transport)
              return { services: appsWorkerServices(worker), close }
            },
            close: () => transport.close(),
          }
        },
      }),
    once: () => whileConnected(({ worker }) => run(worker, ([queue]) => untilNothingIsDue(queue))),
    reconcile: (named) =>
      whileConnected(async ({ worker, useCases: { apps } }) => {
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
