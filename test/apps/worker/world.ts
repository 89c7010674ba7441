import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, vi } from 'vitest'
import {
  openApps,
  type Apps,
  type DeploymentInput,
  type ListedDeployment,
  type TemplateInput,
} from '../../../src/domains/apps/usecases/index.ts'
import { explainNow } from '../../../src/domains/apps/explain-now.ts'
import { charts, helmCli, releases } from '../../../src/domains/apps/helm/index.ts'
import { decodeRelease, type StoredRelease } from '../../../src/domains/apps/helm/storage.ts'
import type { AppsParts } from '../../../src/domains/apps/parts.ts'
import type { AppsWorkerDeps, Deployment } from '../../../src/domains/apps/index.ts'
import { APPS_QUEUE, deploymentKey } from '../../../src/domains/apps/queue.ts'
import { deploymentRows } from '../../../src/domains/apps/store/index.ts'
import { clusterDirectory } from '../../../src/domains/clusters/store/index.ts'
import { userDirectory } from '../../../src/identity/index.ts'
import { startAll, systemClock, type Emitter, type Explanation } from '../../../src/kernel/index.ts'
import {
  ConfigMap,
  discovery,
  Event,
  httpTransport,
  kubeLocks,
  loadKubeConfig,
  makeClient,
  Namespace,
  Secret,
  type Client,
  type Transport,
} from '../../../src/kube/index.ts'
import { PostgresQueue, type Actor } from '../../../src/store/index.ts'
import { obtainBinaries } from '../../../tools/binaries/index.ts'
import { kill } from '../../support/kill.ts'
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts'
import { createUser } from '../../support/users.ts'
import { builtProgram } from '../../support/programs.ts'
import { layVolume } from '../../support/volume.ts'
import { CLASS, openWorker, SETTINGS, type OpenWorker, type WorkerEvents, type WorkerPlace } from './parts.ts'

const ROOT = join(import.meta.dirname, '../../..')
export const ADMIN: Actor = { admin: true }
/** Of those that are killed. */
const SHORT_LEASE_MS = 4_000

/** A worker in a process of its own. What it started goes on without it. */
export interface Killable {
  readonly died: Promise<unknown>
  kill(): Promise<void>
  /** Stands still as if its machine did, until `wake`. */
  pause(): void
  wake(): void
}

/** A database, a product and its tenant, on the control plane of this run. */
export class WorkerWorld implements AsyncDisposable {
  readonly apps: Apps
  readonly client: Client
  readonly database: TestDatabase
  readonly queue: PostgresQueue
  readonly productId: string
  readonly templateId: string
  readonly userId: string
  readonly #place: Omit<WorkerPlace, 'instance'>
  readonly #ending: (() => Promise<unknown>)[]
  #workers = 0
  #explaining: Promise<AppsParts> | undefined

  private constructor(made: {
    apps: Apps
    client: Client
    database: TestDatabase
    queue: PostgresQueue
    productId: string
    templateId: string
    userId: string
    place: Omit<WorkerPlace, 'instance'>
    ending: (() => Promise<unknown>)[]
  }) {
    this.apps = made.apps
    this.client = made.client
    this.database = made.database
    this.queue = made.queue
    this.productId = made.productId
    this.templateId = made.templateId
    this.userId = made.userId
    this.#place = made.place
    this.#ending = made.ending
  }

  static async make(
    template: Partial<TemplateInput> = {},
    kubeconfig = inject('kubeconfig'),
    postgresUrl = inject('postgresUrl'),
  ): Promise<WorkerWorld> {
    const ending: (() => Promise<unknown>)[] = []
    const [{ helm: helmBinary }, config, database] = await Promise.all([
      obtainBinaries(['helm']),
      loadKubeConfig({ path: kubeconfig }),
      freshDatabase(postgresUrl),
    ])
    const transport = httpTransport(config)
    const client = makeClient(transport, { fieldManager: 'test' })
    const dir = await mkdtemp(join(tmpdir(), 'caelus-worker-test-'))
    ending.push(() => rm(dir, { recursive: true, force: true }))
    ending.push(async () => database[Symbol.asyncDispose]())
    ending.push(() => transport.close())
    const queue = new PostgresQueue({ pool: database.openQueuePool(), name: APPS_QUEUE })
    ending.push(async () => queue.close())
    const apps = openApps({
      pool: database.pool,
      queue,
      charts: charts({ cacheDir: join(dir, 'charts'), localPaths: true }),
      users: userDirectory,
      clusters: clusterDirectory,
      ingressClass: CLASS,
      ring: SETTINGS.ring,
      clock: systemClock,
      random: Math.random,
    })
    const userId = await createUser(database.pool, 'ada@example.com')
    const product = await apps.createProduct(ADMIN, { name: 'hello-static' })
    const { id: templateId } = await apps.publishTemplate(ADMIN, {
      productId: product.id,
      chartRef: join(ROOT, 'charts/hello-static'),
      chartVersion: '0.1.0',
      canonical: true,
      healthTimeoutSec: 60,
      ...template,
    })
    const place = { databaseUrl: database.url, kubeconfig, helmBinary, dir }
    return new WorkerWorld({ apps, client, database, queue, productId: product.id, templateId, userId, place, ending })
  }

  /** Path of the Helm binary. */
  get helm(): string {
    return this.#place.helmBinary
  }

  /** A folder that goes with this world. */
  get dir(): string {
    return this.#place.dir
  }

  /** Publishes the chart in `folder`; answers with the template's id. */
  async publish(folder: string, input: Partial<TemplateInput> = {}): Promise<string> {
    const { productId } = this
    const all = { productId, chartRef: folder, chartVersion: '1.0.0', healthTimeoutSec: 60, ...input }
    return (await this.apps.publishTemplate(ADMIN, all)).id
  }

  /** Starts a worker in this process. */
  async worker(
    more: Partial<AppsWorkerDeps> = {},
    through?: (transport: Transport) => Transport,
  ): Promise<OpenWorker & { stop(): Promise<void> }> {
    const worker = await openWorker({ ...this.#place, instance: `worker-${++this.#workers}` }, more, through)
    const stop = await startAll(worker.services)
    this.#ending.push(stop)
    return { ...worker, stop }
  }

  /** Starts a worker in a process of its own. */
  async process(more: Pick<WorkerPlace, 'dieAt' | 'garden'> = {}): Promise<Killable> {
    const instance = `process-${++this.#workers}`
    const place: WorkerPlace = { ...this.#place, instance, leaseMs: SHORT_LEASE_MS, ...more }
    const child = spawn(process.execPath, [builtProgram('test/apps/worker/worker-process'), JSON.stringify(place)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    await once(child, 'spawn')
    this.#ending.push(() => kill(child))
    const died = once(child, 'exit')
    return {
      died,
      kill: () => kill(child),
      pause: () => void child.kill('SIGSTOP'),
      wake: () => void child.kill('SIGCONT'),
    }
  }

  /** Orders one, and lays a volume ready for its claim. */
  async order(userValues: Record<string, string> = {}, domainname = 'shop.example.com'): Promise<ListedDeployment> {
    const made = await this.orderWithoutVolume(userValues, domainname)
    await this.layVolume(made)
    return made
  }

  /** Its pods wait for a volume, and so does Helm. */
  async orderWithoutVolume(
    userValues: Record<string, string> = {},
    domainname = 'shop.example.com',
    input: Partial<DeploymentInput> = {},
  ): Promise<ListedDeployment> {
    const { userId, templateId } = this
    const made = await this.apps.createDeployment(ADMIN, { userId, templateId, domainname, userValues, ...input })
    this.#ending.push(() => this.client.delete(Namespace, { name: made.namespaceName }))
    return made
  }

  async layVolume({ namespaceName: namespace }: Pick<Deployment, 'namespaceName'>): Promise<void> {
    const volume = await layVolume(this.client, { namespace, name: `${namespace}-data` })
    this.#ending.push(async () => volume[Symbol.asyncDispose]())
  }

  /** The ConfigMap of `page`. */
  async textIn(namespace: string, name = 'page'): Promise<string | undefined> {
    return (await this.client.get(ConfigMap, { namespace, name }))?.data?.['text']
  }

  /** What Helm recorded of each revision that is kept, oldest first. */
  async revisions(namespace: string): Promise<StoredRelease[]> {
    const secrets = await this.client.list(Secret, { namespace, labels: 'owner=helm' })
    return (await Promise.all(secrets.map(decodeRelease))).toSorted((a, b) => a.version - b.version)
  }

  /** The reasons of the Events that warn of it in the control plane. */
  async warnings(namespace: string): Promise<string[]> {
    return (await this.client.list(Event, {}))
      .filter(({ regarding, type }) => regarding?.name === namespace && type === 'Warning')
      .map(({ reason = '' }) => reason)
  }

  /** What the API has to preview, explain and list with; its connection ends with this world. */
  async parts({
    kubeconfig = this.#place.kubeconfig,
    client = this.client,
    ...over
  }: Partial<AppsParts> & { readonly kubeconfig?: string } = {}): Promise<AppsParts> {
    const { helmBinary: binary, dir } = this.#place
    const transport = httpTransport(await loadKubeConfig({ path: kubeconfig }))
    this.#ending.push(() => transport.close())
    const kinds = discovery(transport)
    return {
      client,
      discovery: kinds,
      rows: deploymentRows(this.database.pool),
      charts: charts({ cacheDir: join(dir, 'charts'), localPaths: true }),
      helm: helmCli({ binary, kubeconfig, kinds, home: join(dir, 'home'), tempDir: dir }),
      releases: releases(client, kinds),
      locks: kubeLocks({ client, namespace: 'default' }),
      clock: systemClock,
      settings: SETTINGS,
      ...over,
    }
  }

  /** As the API explains it. */
  async explain(id: string): Promise<Explanation> {
    this.#explaining ??= this.parts()
    return await explainNow(await this.#explaining, id, null)
  }

  async row(id: string): Promise<Deployment> {
    const loaded = await deploymentRows(this.database.pool).load(id)
    if (loaded === undefined) throw new Error(`expected deployment ${id} to be there`)
    return loaded.deployment
  }

  /** Waits until the row says so; what it said last is told otherwise. */
  async until(id: string, status: Deployment['status'], timeout = 120_000): Promise<Deployment> {
    const asTold = async (): Promise<Deployment> => {
      const row = await this.row(id)
      const isCurrent = status !== 'ready' || row.observedGeneration === row.generation
      expect(isCurrent ? row.status : 'outdated', JSON.stringify(row.lastError)).toBe(status)
      return row
    }
    return await vi.waitFor(asTold, { timeout, interval: 100 })
  }

  /** Has somebody look once more, and waits until that and everything that came of it is over. */
  async lookAgain(id: string, timeout = 45_000): Promise<void> {
    await this.queue.wake(deploymentKey(id), { reason: 'drift', tenant: this.userId })
    // It is in the queue until a look that began after the wake has ended.
    const jobs = async () => (await this.apps.listJobs(ADMIN, { deploymentId: id, limit: 1 })).items
    await expect.poll(jobs, { timeout }).toEqual([])
  }

  /** Has somebody look once more, and waits until that is over, also when there is more to come. */
  async lookOnce(id: string, told: Emitter<WorkerEvents>): Promise<void> {
    const over = new Promise<void>((resolve) => {
      const unsubscribe = told.on('reconcile:end', ({ key }) => {
        if (key.id !== id) return
        unsubscribe()
        resolve()
      })
    })
    await this.apps.enqueueReconcile(ADMIN, { id }, 'drift')
    await over
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ending.splice(0).toReversed()) await end()
  }
}
