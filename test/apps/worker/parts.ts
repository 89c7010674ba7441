import { join } from 'node:path'
import { appsWorker, keyRing, type AppsEvents, type AppsWorkerDeps } from '../../../src/domains/apps/index.ts'
import { charts, helmCli, releases } from '../../../src/domains/apps/helm/index.ts'
import { APPS_QUEUE } from '../../../src/domains/apps/queue.ts'
import { deploymentRows, verifiedReleaseStore } from '../../../src/domains/apps/store/index.ts'
import {
  decisionLog,
  createEmitter,
  service,
  systemClock,
  type Emitter,
  type KernelEvents,
  type Service,
} from '../../../src/kernel/index.ts'
import {
  discovery,
  httpTransport,
  kubeLocks,
  loadKubeConfig,
  makeClient,
  observed,
  type RequestEvents,
  type Transport,
  type WatchEvents,
} from '../../../src/kube/index.ts'
import { openPool, openQueuePool, PostgresQueue } from '../../../src/store/index.ts'

export const CLASS = 'test'
/** Seals the write-only values of a test. */
const RING = keyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`)
export const SETTINGS = { ingressClass: CLASS, digestSalt: 'salt', ring: RING }

/** Everything that a worker needs to know to find its world. */
export interface WorkerPlace {
  readonly databaseUrl: string
  readonly kubeconfig: string
  readonly helmBinary: string
  readonly dir: string
  readonly instance: string
  /**
   * How soon others take over from one that was killed. One that merely stands still for a moment loses its lease too, so
   * only those have a short one whose end is the same either way. @default the queue's
   */
  readonly leaseMs?: number
  /** Its process is killed before it sends the first request that matches: `PATCH /apis/apps/v1/…`, dry runs left out. */
  readonly dieAt?: string
  /** Path of the kubeconfig of a garden, to whose clusters it is connected. `dieAt` is about requests to them then. */
  readonly garden?: string
}

export type WorkerEvents = KernelEvents & WatchEvents & AppsEvents & RequestEvents

export interface OpenWorker {
  readonly services: readonly Service[]
  readonly told: Emitter<WorkerEvents>
}

/** An apps worker on real parts, with short pauses. Once it has stopped nothing of it goes on. */
export async function openWorker(
  place: WorkerPlace,
  more: Partial<AppsWorkerDeps> = {},
  through: (transport: Transport) => Transport = (transport) => transport,
): Promise<OpenWorker> {
  const { databaseUrl: url, kubeconfig, helmBinary, dir, instance, leaseMs } = place
  const told = createEmitter<WorkerEvents>()
  const connection = httpTransport(await loadKubeConfig({ path: kubeconfig }))
  const transport = observed(through(connection), told)
  const client = makeClient(transport, { fieldManager: 'caelus' })
  const kinds = discovery(transport)
  // A server that is slow to answer must not cost an attempt that a test counts.
  const connecting = { url, applicationName: instance, acquireTimeoutMs: 30_000 }
  const pool = openPool({ ...connecting, role: 'caelus_worker' })
  const queuePool = openQueuePool(connecting)
  const queue = new PostgresQueue({ pool: queuePool, name: APPS_QUEUE, ...(leaseMs !== undefined && { leaseMs }) })
  const untilIdle = idleness(told)
  const closing = service('connections', async (signal, ready) => {
    ready()
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    // What was cut off still ends its Helm and hands its key back.
    await untilIdle()
    queue.close()
    await Promise.all([pool.end(), queuePool.end(), connection.close()])
  })
  const worker = appsWorker({
    transport,
    queue,
    rows: deploymentRows(pool),
    verified: verifiedReleaseStore(pool),
    charts: charts({ cacheDir: join(dir, 'charts'), localPaths: true }),
    helm: helmCli({ binary: helmBinary, kubeconfig, kinds, home: join(dir, 'home'), tempDir: dir }),
    releases: releases(client, kinds),
    locks: kubeLocks({ client, namespace: 'default' }),
    settings: SETTINGS,
    clock: systemClock,
    random: Math.random,
    emitter: told,
    decisions: decisionLog(),
    version: 'test',
    instance,
    pollMs: 250,
    stopGraceMs: 500,
    driftScanMs: 3_600_000,
    backoff: { baseMs: 200, capMs: 2_000, maxAttempts: 8 },
    ...more,
  })
  return { services: [closing, ...worker], told }
}

/** Answers with how to wait until nothing is being reconciled. */
function idleness(told: Emitter<WorkerEvents>): () => Promise<void> {
  let running = 0
  let whenIdle = (): void => {}
  told.on('reconcile:start', () => void running++)
  told.on('reconcile:end', () => {
    if (--running === 0) whenIdle()
  })
  return () =>
    new Promise((resolve) => {
      whenIdle = resolve
      if (running === 0) resolve()
    })
}
