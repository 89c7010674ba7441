import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { FENCE } from '../../src/domains/clusters/gardener/shoot.ts'
import { start, type Running } from '../cli/caelus.ts'
import { kill } from '../support/kill.ts'
import type { ServedGarden } from './served-garden.ts'
import { UNDISTURBED } from './undisturbed.ts'
import { clustersWorld, order, type ClustersWorld } from './world.ts'

export interface WorkerStage<G extends ServedGarden> {
  readonly world: ClustersWorld
  readonly garden: G
  readonly worker: (env?: Record<string, string>) => Running
}

export interface StageOptions {
  /** More environment of workers. */
  readonly settings?: Readonly<Record<string, string>>
  /** @default the server of this run */
  readonly postgresUrl?: string
  /** The program of workers. @default that of the release */
  readonly program?: string
}

/** A database, a garden that several workers share, and no worker yet. */
export async function workerStage<G extends ServedGarden>(
  serve: (dir: string) => Promise<G>,
  more: StageOptions = {},
): Promise<WorkerStage<G>> {
  const dir = await mkdtemp(join(tmpdir(), 'caelus-clusters-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const world = await clustersWorld(more.postgresUrl)
  onTestFinished(() => world[Symbol.asyncDispose]())
  const garden = await serve(dir)
  onTestFinished(() => garden[Symbol.asyncDispose]())
  const env = {
    DATABASE_URL: world.database.urlOf('caelus_worker'),
    CAELUS_DATA_DIR: dir,
    CAELUS_LOG_FORMAT: 'json',
    HEALTH_PORT: '0',
    SHUTDOWN_TIMEOUT: '5s',
    ...garden.env,
    ...more.settings,
  }
  return {
    world,
    garden,
    worker(own = {}) {
      const running = start(['run-cluster-worker'], { ...env, ...own }, more.program)
      onTestFinished(() => kill(running.child))
      return running
    },
  }
}

export const ORDER = order({
  maintenance: UNDISTURBED,
  nodePools: [{ name: 'default', machineType: 'local', autoscaleMin: 1, autoscaleMax: 3 }],
})

export const stateOf = async ({ clusters, ann, acme }: ClustersWorld, id: string) => {
  const { sync } = await clusters.getCluster(ann, acme, id)
  return { status: sync.status, isSynced: sync.syncedGeneration === sync.generation, code: sync.failure?.code }
}

export const READY = { status: 'ready', isSynced: true, code: undefined }

export const probesOf = async (worker: Running): Promise<string> =>
  (await worker.says(/"probes":"(http:[^"]+)"/))[1] ?? ''

/** The cluster of a worker that is killed while it writes a Shoot resumes within 30 seconds. */
export async function killWhileWriting({ world, garden, worker }: WorkerStage<ServedGarden>): Promise<void> {
  const held = garden.holdWrite()
  const first = worker()
  await probesOf(first)
  const { id } = await world.clusters.createCluster(world.ann, world.acme, ORDER)
  await held.reached
  await probesOf(worker())
  const holder = async () => {
    const rows = await world.database.pool.query<{ fence: string }>(
      'select fence::text from tenant.cluster_claims where cluster_id = $1',
      [id],
    )
    return rows[0]?.fence
  }
  const killed = await holder()
  const at = performance.now()
  await kill(first.child)
  await expect.poll(holder, { timeout: 60_000 }).not.toBe(killed)
  expect(performance.now() - at).toBeLessThan(30_000)
  await expect.poll(() => stateOf(world, id), { timeout: 60_000 }).toEqual(READY)
  held.release()
}

/** The cluster of a worker that is paused while it writes a Shoot resumes, and going on it changes nothing of it. */
export async function pauseWhileWriting({ world, garden, worker }: WorkerStage<ServedGarden>): Promise<void> {
  const { clusters, ann, acme } = world
  const { id } = await clusters.createCluster(ann, acme, ORDER)
  const first = worker()
  await expect.poll(() => stateOf(world, id), { timeout: 60_000 }).toEqual(READY)
  const held = garden.holdWrite()
  await clusters.updateCluster(ann, acme, id, { nodePools: [{ ...ORDER.nodePools[0]!, autoscaleMax: 4 }] })
  await held.reached
  first.child.kill('SIGSTOP')
  const second = worker()
  await clusters.updateCluster(ann, acme, id, { nodePools: [{ ...ORDER.nodePools[0]!, autoscaleMax: 5 }] })
  await expect.poll(() => stateOf(world, id), { timeout: 60_000 }).toEqual(READY)
  const written = await garden.shootOf(id)
  expect(written?.spec.provider.workers).toMatchObject([{ maximum: 5 }])
  held.release()
  first.child.kill('SIGCONT')
  await kill(second.child)
  // Once it has made another one, whatever it had under way is over.
  const other = await clusters.createCluster(ann, acme, { ...ORDER, name: 'two' })
  await expect.poll(() => stateOf(world, other.id), { timeout: 60_000 }).toEqual(READY)
  const after = await garden.shootOf(id)
  expect(after?.spec).toEqual(written?.spec)
  expect(after?.metadata.annotations?.[FENCE]).toBe(written?.metadata.annotations?.[FENCE])
}
