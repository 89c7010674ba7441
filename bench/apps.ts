import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openApps, type Apps, type ListedDeployment } from '../src/domains/apps/cases/index.ts'
import { charts } from '../src/domains/apps/helm/index.ts'
import { systemClock } from '../src/kernel/index.ts'
import { Deployment, httpTransport, loadKubeConfig, makeClient, type Client } from '../src/kube/index.ts'
import { migrate, openPool, openQueuePool, PostgresQueue } from '../src/store/index.ts'
import { obtainBinaries } from '../tools/binaries/index.ts'
import { startCluster, type Cluster } from '../tools/cluster/index.ts'
import { startPostgres } from '../tools/postgres.ts'
import { parallel, quantile, round, type Row } from './measure.ts'
import { childCpuSecondsOf, Measured } from './process.ts'

/** Four objects, two replicas, and no claim for which somebody would have to lay a volume ready. */
const CHART = join(import.meta.dirname, '../charts/status-page')
const CHART_VERSION = '0.1.0'
/** What the worker runs at once by default. */
const AT_ONCE = 4
const SINGLES = 10
const DEADLINE_MS = 900_000
const ADMIN = { admin: true } as const

const run = promisify(execFile)

interface Place {
  readonly dir: string
  readonly cluster: Cluster
  readonly client: Client
  readonly helm: string
}

type Figures = Pick<Row, 'seconds' | 'cpuSeconds' | 'notes'> & {
  readonly n: number
  readonly rssMiB?: number
  readonly latencies?: readonly number[]
}

const rowOf = (bench: string, peer: string, figures: Figures): Row => ({
  bench: `apps.${bench}`,
  peer,
  n: figures.n,
  seconds: round(figures.seconds, 3),
  perSecond: round(figures.n / figures.seconds, 2),
  cpuSeconds: round(figures.cpuSeconds),
  rssMiB: round(figures.rssMiB ?? 0, 1),
  p50ms: quantile(figures.latencies ?? [], 0.5),
  p99ms: quantile(figures.latencies ?? [], 0.99),
  notes: figures.notes,
})

/** Runs `work` on a control plane of its own with simulated nodes, so that no peer inherits another's objects. */
async function onCluster<T>(work: (place: Place) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'caelus-bench-'))
  const [{ helm }, cluster] = await Promise.all([
    obtainBinaries(['helm']),
    startCluster({ dir: join(dir, 'cluster'), nodes: 'kwok' }),
  ])
  const transport = httpTransport(await loadKubeConfig({ path: cluster.kubeconfig }))
  try {
    return await work({ dir, cluster, helm, client: makeClient(transport, { fieldManager: 'bench' }) })
  } finally {
    await transport.close()
    await cluster.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** What a script would do: Helm itself, so many at once; then once more with nothing changed. */
export const measureHelmLoop = (n: number, keep: (row: Row) => void): Promise<void> =>
  onCluster(async ({ dir, cluster, helm }) => {
    const home = join(dir, 'helm')
    const env = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, KUBECACHEDIR: home }
    const pass = async (phase: string): Promise<void> => {
      const cpu = childCpuSecondsOf(process.pid)
      const from = performance.now()
      const latencies: number[] = []
      await parallel(n, AT_ONCE, async (i) => {
        const name = `page-${i}`
        const flags = ['--create-namespace', '--wait', '--timeout=10m', `--set=ingress.host=${domainOf(i)}`]
        const target = ['--namespace', name, '--kubeconfig', cluster.kubeconfig]
        await run(helm, ['upgrade', '--install', name, CHART, ...flags, ...target], { env })
        latencies.push(performance.now() - from)
      })
      const seconds = (performance.now() - from) / 1000
      const cpuSeconds = childCpuSecondsOf(process.pid) - cpu
      keep(
        rowOf(phase, 'helm-par4', {
          n,
          seconds,
          cpuSeconds,
          latencies,
          notes: 'helm upgrade --install --wait; latencies since the first call',
        }),
      )
    }
    await pass('install')
    await pass('pass')
  })

const domainOf = (i: number, word = 'page'): string => `${word}-${i}.example.com`

/** Our worker, as a program of its own, on PostgreSQL and Helm. */
export const measureAppsWorker = (peer: string, n: number, keep: (row: Row) => void): Promise<void> =>
  onCluster(async (place) => {
    const postgres = await startPostgres({ durable: true })
    await migrate(postgres.url)
    const pool = openPool({ url: postgres.url, applicationName: 'bench' })
    const queuePool = openQueuePool({ url: postgres.url, applicationName: 'bench queue' })
    const queue = new PostgresQueue({ pool: queuePool, name: 'apps' })
    const env = {
      DATABASE_URL: postgres.url,
      CAELUS_KUBECONFIG: place.cluster.kubeconfig,
      HELM_BIN: place.helm,
      CAELUS_DATA_DIR: join(place.dir, 'data'),
    }
    const command = [process.execPath, join(import.meta.dirname, 'apps-peer.ts')]
    const worker = new WorkerProcess(new Measured(command, env, join(place.dir, 'worker.log')))
    try {
      const apps = openApps({
        pool,
        queue,
        charts: charts({ cacheDir: join(place.dir, 'charts'), localPaths: true }),
        ingressClass: 'bench',
        clock: systemClock,
        random: Math.random,
      })
      await worker.until('the worker works', () => worker.isWorking)
      await phases(peer, n, { apps, worker, client: place.client, keep })
    } finally {
      await worker.program.stop()
      queue.close()
      await Promise.all([queuePool.end(), pool.end()])
      await postgres.stop()
    }
  })

/** What the worker's lines say. */
class WorkerProcess {
  readonly program: Measured
  isWorking = false
  /** API calls made so far. */
  calls = 0
  readonly started = new Map<string, number>()
  readonly ended = new Map<string, number>()
  runs = 0
  #changed = Promise.withResolvers<void>()

  constructor(program: Measured) {
    this.program = program
    program.onLine((line) => {
      const [what, id = '', at, calls] = line.split(' ')
      this.calls = Number(calls)
      if (what === 'working') this.isWorking = true
      if (what === 'start') this.started.set(id, Number(at))
      if (what === 'end') {
        this.ended.set(id, Number(at))
        this.runs++
      }
      this.#changed.resolve()
      this.#changed = Promise.withResolvers()
    })
  }

  get cpuSeconds(): number {
    return this.program.cpuSeconds + childCpuSecondsOf(this.program.pid)
  }

  async until(what: string, met: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS
    while (!(await met())) {
      if (!this.program.isAlive) throw new Error(`${what}: the worker has ended`)
      if (performance.now() > deadline) throw new Error(`${what}: not within ${DEADLINE_MS} ms`)
      await Promise.race([this.#changed.promise, delay(500)])
    }
  }
}

const now = (): number => performance.timeOrigin + performance.now()

interface Bench {
  readonly apps: Apps
  readonly worker: WorkerProcess
  readonly client: Client
  readonly keep: (row: Row) => void
}

async function phases(peer: string, n: number, { apps, worker, client, keep }: Bench): Promise<void> {
  const { id: productId } = await apps.createProduct(ADMIN, { name: 'page' })
  const { id: templateId } = await apps.publishTemplate(ADMIN, {
    productId,
    chartRef: CHART,
    chartVersion: CHART_VERSION,
  })
  const tenants: string[] = []
  for (let i = 0; i < n; i++) tenants.push((await apps.createUser(ADMIN, { email: `tenant-${i}@example.com` })).id)
  const isReady = async (id: string): Promise<boolean> => {
    const { status, generation, observedGeneration, lastError } = await apps.getDeployment(ADMIN, { id })
    if (status === 'error') throw new Error(`deployment ${id} failed: ${JSON.stringify(lastError)}`)
    return status === 'ready' && generation === observedGeneration
  }
  const measured = async (phase: string, work: () => Promise<Omit<Figures, 'seconds' | 'cpuSeconds'>>) => {
    const cpu = worker.cpuSeconds
    const from = performance.now()
    const figures = await work()
    const seconds = (performance.now() - from) / 1000
    const rssMiB = worker.program.peakRssMiB
    keep(rowOf(phase, peer, { seconds, cpuSeconds: worker.cpuSeconds - cpu, rssMiB, ...figures }))
  }

  const ordered: ListedDeployment[] = []
  await measured('install', async () => {
    const from = now()
    for (const [i, userId] of tenants.entries()) {
      ordered.push(await apps.createDeployment(ADMIN, { userId, templateId, domainname: domainOf(i) }))
    }
    await worker.until('every end', () => worker.ended.size === n)
    for (const { id } of ordered) await worker.until(`${id} ready`, () => isReady(id))
    const latencies = ordered.map(({ id }) => (worker.ended.get(id) ?? 0) - from)
    return { n, latencies, notes: 'first order written to ready; latencies since the first order' }
  })

  for (const phase of ['first-pass', 'pass']) {
    await measured(phase, async () => {
      const { runs, calls } = worker
      await apps.scanDrift(ADMIN)
      await worker.until('the pass', () => worker.runs >= runs + n)
      return { n, notes: `${worker.calls - calls} API calls` }
    })
  }

  const singles = ordered.slice(0, SINGLES)
  await measured('restore', async () => {
    const [latencies, noticed]: [number[], number[]] = [[], []]
    for (const { id, namespaceName: namespace } of singles) {
      const from = now()
      latencies.push(await restored(client, namespace))
      noticed.push((worker.started.get(id) ?? 0) - from)
    }
    const notes = `DELETE of a Deployment to the new one seen; to the start of its run p50 ${quantile(noticed, 0.5)} ms`
    return { n: singles.length, latencies, notes }
  })

  const toReady: number[] = []
  await measured('write-to-start', async () => {
    const latencies: number[] = []
    for (const [i, { id }] of singles.entries()) {
      await delay(500)
      worker.started.delete(id)
      const from = now()
      await apps.updateDeployment(ADMIN, { id }, { domainname: domainOf(i, 'moved') })
      await worker.until(`${id} ready`, () => isReady(id))
      toReady.push(now() - from)
      latencies.push((worker.started.get(id) ?? 0) - from)
    }
    return {
      n: singles.length,
      latencies,
      notes: `call to start of its run; to ready p50 ${quantile(toReady, 0.5)} ms`,
    }
  })
}

async function restored(client: Client, namespace: string): Promise<number> {
  const [found] = await client.list(Deployment, { namespace })
  if (found === undefined) throw new Error(`no Deployment in ${namespace}`)
  const at = { namespace, name: found.metadata.name }
  const from = performance.now()
  await client.delete(Deployment, at)
  for (;;) {
    const present = await client.get(Deployment, at)
    if (present !== undefined && present.metadata.uid !== found.metadata.uid) return performance.now() - from
    if (performance.now() - from > DEADLINE_MS) throw new Error(`the Deployment of ${namespace} never came back`)
    await delay(5)
  }
}
