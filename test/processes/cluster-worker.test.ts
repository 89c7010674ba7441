import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FENCE } from '../../src/domains/clusters/gardener/shoot.ts'
import { start, type Running } from '../cli/caelus.ts'
import { clustersWorld, order, type ClustersWorld } from '../clusters/world.ts'
import { servedGarden, type ServedGarden } from '../clusters/served-garden.ts'
import { kill } from '../support/kill.ts'

interface Stage {
  readonly world: ClustersWorld
  readonly garden: ServedGarden
  readonly worker: (env?: Record<string, string>) => Running
}

/** A database, a garden that several workers share, and no worker yet. */
async function stage(): Promise<Stage> {
  const dir = await mkdtemp(join(tmpdir(), 'caelus-clusters-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const world = await clustersWorld()
  onTestFinished(() => world[Symbol.asyncDispose]())
  const garden = await servedGarden(dir)
  onTestFinished(() => garden[Symbol.asyncDispose]())
  const env = {
    DATABASE_URL: world.database.urlOf('caelus_worker'),
    CAELUS_DATA_DIR: dir,
    CAELUS_LOG_FORMAT: 'json',
    HEALTH_PORT: '0',
    SHUTDOWN_TIMEOUT: '5s',
    ...garden.env,
  }
  return {
    world,
    garden,
    worker(more = {}) {
      const running = start(['run-cluster-worker'], { ...env, ...more })
      onTestFinished(() => kill(running.child))
      return running
    },
  }
}

const ORDER = order({ nodePools: [{ name: 'default', machineType: 'local', autoscaleMin: 1, autoscaleMax: 3 }] })

const stateOf = async ({ clusters, ann, acme }: ClustersWorld, id: string) => {
  const { sync } = await clusters.getCluster(ann, acme, id)
  return { status: sync.status, isSynced: sync.syncedGeneration === sync.generation, code: sync.failure?.code }
}

const READY = { status: 'ready', isSynced: true, code: undefined }
const probesOf = async (worker: Running): Promise<string> => (await worker.says(/"probes":"(http:[^"]+)"/))[1] ?? ''

test('a worker converges clusters, tells how it is, and obeys SIGTERM', async () => {
  const { world, worker } = await stage()
  const running = worker({ LOG_LEVEL: 'debug' })
  const probes = await probesOf(running)
  const ready = await fetch(`${probes}/readyz`)
  expect(ready.status).toBe(200)
  expect(await ready.json()).toMatchObject({
    checks: [
      { name: 'database', ok: true },
      { name: 'notifications', ok: true, required: true },
      { name: 'gardener', ok: true, required: false, message: 'answers' },
    ],
  })
  const { id } = await world.clusters.createCluster(world.ann, world.acme, ORDER)
  await expect.poll(() => stateOf(world, id)).toEqual(READY)
  const metrics = async (): Promise<string> => (await fetch(`${probes}/metrics`)).text()
  await expect.poll(metrics).toContain('caelus_clusters{status="ready"} 1')
  expect(await metrics()).toMatch(/caelus_clusters_syncs_total\{step="apply",outcome="done",code=""\} [1-9]/)
  await running.says(/"level":"debug"/)
  running.child.kill('SIGTERM')
  expect(await running.ended).toMatchObject({ code: 0 })
})

test('the mock says loudly that no clusters are made', async () => {
  const { worker } = await stage()
  const running = worker({ GARDENER_MODE: 'mock', GARDENER_KUBECONFIG: '' })
  await running.says(/"level":"warn".*Gardener is simulated: no clusters are made/)
  const probes = await probesOf(running)
  expect(await (await fetch(`${probes}/readyz`)).json()).toMatchObject({
    checks: expect.arrayContaining([expect.objectContaining({ message: 'simulated: no clusters are made' })]),
  })
})

test('a worker that needs the kubeconfig of a garden and has none ends with a message that names it', async () => {
  const { worker } = await stage()
  const { code, err } = await worker({ GARDENER_KUBECONFIG: '' }).ended
  expect([code, err]).toEqual([1, expect.stringContaining('GARDENER_KUBECONFIG is not set')])
})

test('the cluster of a killed worker resumes within 30 seconds', async () => {
  const { world, garden, worker } = await stage()
  const held = garden.holdWrite()
  const first = worker()
  await probesOf(first)
  const { id } = await world.clusters.createCluster(world.ann, world.acme, ORDER)
  await held.reached
  await probesOf(worker())
  const at = performance.now()
  await kill(first.child)
  await expect.poll(() => stateOf(world, id), { timeout: 60_000 }).toEqual(READY)
  expect(performance.now() - at).toBeLessThan(30_000)
  held.release()
})

test('the cluster of a paused worker resumes, and the worker that goes on changes nothing of it', async () => {
  const { world, garden, worker } = await stage()
  const { clusters, ann, acme } = world
  const { id } = await clusters.createCluster(ann, acme, ORDER)
  const first = worker()
  await expect.poll(() => stateOf(world, id)).toEqual(READY)
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
})

test('a worker that is up before Gardener waits for it, ready and with the reason in its rows', async () => {
  const { world, garden, worker } = await stage()
  const { clusters, ann, acme } = world
  garden.mock.down()
  const { id } = await clusters.createCluster(ann, acme, ORDER)
  const running = worker()
  const probes = await probesOf(running)
  const ready = await fetch(`${probes}/readyz`)
  expect(ready.status).toBe(200)
  expect(await ready.json()).toMatchObject({
    checks: expect.arrayContaining([expect.objectContaining({ name: 'gardener', ok: false })]),
  })
  await expect.poll(async () => (await stateOf(world, id)).code).toBe('GardenerUnreachable')
  garden.mock.up()
  await expect.poll(() => stateOf(world, id), { timeout: 60_000 }).toEqual(READY)

  garden.mock.down()
  await clusters.updateCluster(ann, acme, id, { isHibernated: true })
  await expect.poll(async () => (await stateOf(world, id)).code).toBe('GardenerUnreachable')
  garden.mock.up()
  await expect.poll(() => stateOf(world, id), { timeout: 60_000 }).toEqual(READY)
  expect((await garden.shootOf(id))?.spec.hibernation).toEqual({ enabled: true })
})
