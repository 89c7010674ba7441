import { expect, test } from 'vitest'
import { servedGarden } from '../clusters/served-garden.ts'
import {
  killWhileWriting,
  ORDER,
  pauseWhileWriting,
  probesOf,
  READY,
  stateOf,
  workerStage,
} from '../clusters/worker-stage.ts'

const stage = () => workerStage(servedGarden)

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
  await expect.poll(() => stateOf(world, id), { timeout: 60_000 }).toEqual(READY)
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
  const missing = await worker({ GARDENER_KUBECONFIG: '/nowhere' }).ended
  expect([missing.code, missing.err]).toEqual([
    1,
    expect.stringContaining('GARDENER_KUBECONFIG: failed to read kubeconfig /nowhere'),
  ])
})

test('the cluster of a killed worker resumes within 30 seconds', async () => {
  await killWhileWriting(await stage())
})

test('the cluster of a paused worker resumes, and the worker that goes on changes nothing of it', async () => {
  await pauseWhileWriting(await stage())
})

test('an order whose notification is lost is found by the poll', async () => {
  const { world, worker } = await stage()
  await probesOf(worker({ POLL_INTERVAL: '2s' }))
  await world.database.pool.query('alter function pg_catalog.pg_notify(text, text) rename to notify_for_real')
  await world.database.pool.query(
    `create function pg_catalog.pg_notify(text, text) returns void language plpgsql as 'begin end'`,
  )
  const { id } = await world.clusters.createCluster(world.ann, world.acme, ORDER)
  await expect.poll(() => stateOf(world, id), { timeout: 30_000 }).toEqual(READY)
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
  await expect.poll(async () => (await stateOf(world, id)).code, { timeout: 60_000 }).toBe('GardenerUnreachable')
  garden.mock.up()
  await expect.poll(() => stateOf(world, id), { timeout: 60_000 }).toEqual(READY)

  garden.mock.down()
  await clusters.updateCluster(ann, acme, id, { isHibernated: true })
  await expect.poll(async () => (await stateOf(world, id)).code, { timeout: 60_000 }).toBe('GardenerUnreachable')
  garden.mock.up()
  await expect.poll(() => stateOf(world, id), { timeout: 60_000 }).toEqual(READY)
  expect((await garden.shootOf(id))?.spec.hibernation).toEqual({ enabled: true })
})
