import { join } from 'node:path'
import { openApps, type Apps, type ListedDeployment } from '../../src/domains/apps/usecases/index.ts'
import { charts } from '../../src/domains/apps/helm/index.ts'
import type { JsonObject } from '../../src/domains/apps/index.ts'
import { openIdentity, userDirectory, type IdentityUseCases } from '../../src/identity/index.ts'
import { systemClock } from '../../src/kernel/index.ts'
import { migrate, openPool, openQueuePool, PostgresQueue } from '../../src/store/index.ts'
import { startPostgres } from '../../tools/postgres/postgres.ts'
import { Measured } from '../process.ts'
import { CHART, CHART_VERSION, domainOf, onControlPlane, type Place } from './place.ts'
import { WorkerProcess } from './worker-process.ts'

export const ADMIN = { admin: true } as const

/** The platform as an administrator has it: the use cases, and a worker that is a program of its own. */
export interface Ours {
  readonly place: Place
  readonly databaseUrl: string
  readonly apps: Apps
  readonly identity: IdentityUseCases
  /** The chart as it comes. */
  readonly templateId: string
  /** The chart with other defaults. */
  publish(defaultValues: JsonObject, healthTimeoutSec?: number): Promise<string>
  /** The one that runs now. */
  readonly worker: WorkerProcess
  /** Ends the worker and starts another; answers once the process is there, before it works. */
  restart(): Promise<WorkerProcess>
}

/** Runs `work` with a platform on a control plane and a PostgreSQL of its own, with its default durability. */
export const withOurs = (releases: number, work: (ours: Ours) => Promise<void>): Promise<void> =>
  onControlPlane(releases, async (place) => {
    const postgres = await startPostgres({ durable: true })
    await migrate(postgres.url)
    const pool = openPool({ url: postgres.url, applicationName: 'bench' })
    const queuePool = openQueuePool({ url: postgres.url, applicationName: 'bench queue' })
    const queue = new PostgresQueue({ pool: queuePool, name: 'apps' })
    let worker = startWorker(place, postgres.url)
    try {
      const apps = openApps({
        pool,
        queue,
        charts: charts({ cacheDir: join(place.dir, 'charts'), localPaths: true }),
        users: userDirectory,
        ingressClass: 'bench',
        clock: systemClock,
        random: Math.random,
      })
      const { id: productId } = await apps.createProduct(ADMIN, { name: 'page' })
      const input = { productId, chartRef: CHART, chartVersion: CHART_VERSION }
      const publish: Ours['publish'] = async (defaultValues, healthTimeoutSec) =>
        (await apps.publishTemplate(ADMIN, { ...input, defaultValues, healthTimeoutSec })).id
      await worker.until('the worker works', () => worker.isWorking)
      await work({
        place,
        databaseUrl: postgres.url,
        apps,
        identity: openIdentity({ pool, usage: [] }),
        templateId: await publish({}),
        publish,
        get worker() {
          return worker
        },
        async restart() {
          await worker.stop()
          worker = startWorker(place, postgres.url)
          return worker
        },
      })
    } finally {
      await worker.stop()
      queue.close()
      await Promise.all([queuePool.end(), pool.end()])
      await postgres.stop()
    }
  })

/** How processes of the platform are configured. */
export const environmentOf = ({ dir, controlPlane, helm }: Place, url: string): Record<string, string> => ({
  DATABASE_URL: url,
  CAELUS_KUBECONFIG: controlPlane.kubeconfig,
  HELM_BIN: helm,
  CAELUS_DATA_DIR: join(dir, 'data'),
  CAELUS_LOCAL_CHARTS: 'true',
})

function startWorker(place: Place, url: string): WorkerProcess {
  const command = [process.execPath, join(import.meta.dirname, '../apps-peer.ts')]
  return new WorkerProcess(new Measured(command, environmentOf(place, url), join(place.dir, 'worker.log')))
}

/** A tenant for each of n orders. */
export async function tenants({ identity }: Ours, n: number, word = 'tenant'): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < n; i++) ids.push((await identity.createUser(ADMIN, { email: `${word}-${i}@example.com` })).id)
  return ids
}

/** Orders one release for each tenant and waits until all are ready. */
export async function orderAll(
  ours: Ours,
  users: readonly string[],
  templateId = ours.templateId,
): Promise<ListedDeployment[]> {
  const { apps, worker } = ours
  const ordered: ListedDeployment[] = []
  for (const [i, userId] of users.entries()) {
    ordered.push(await apps.createDeployment(ADMIN, { userId, templateId, domainname: domainOf(i) }))
  }
  await worker.until('every end', () => worker.ended.size === users.length)
  for (const { id } of ordered) await untilReady(ours, id)
  return ordered
}

/** Until the newest change of it is in effect. Answers when the worker was done with it. */
export async function untilReady({ apps, worker }: Ours, id: string): Promise<number> {
  await worker.until(`${id} ready`, async () => {
    if (!worker.ended.has(id)) return false
    const { status, generation, observedGeneration, lastError } = await apps.getDeployment(ADMIN, { id })
    if (status === 'error') throw new Error(`deployment ${id} failed: ${JSON.stringify(lastError)}`)
    return status === 'ready' && generation === observedGeneration
  })
  return worker.ended.get(id) ?? 0
}
