import { expect, test } from 'vitest'
import { writeChart } from '../helm/world.ts'
import { neverReady, page } from './charts.ts'
import { createUser } from '../../support/users.ts'
import { WorkerWorld } from './world.ts'

const CONCURRENCY = 4
const FAILING = 8
const HANGING = 20

test('a tenant whose apps fail for ever keeps nobody else waiting', async () => {
  await using world = await WorkerWorld.make()
  const broken = await world.publish(await writeChart(world.dir, { 'web.yaml': neverReady }), { healthTimeoutSec: 6 })
  const fine = await world.publish(await writeChart(world.dir, { 'page.yaml': page('fine') }))
  const bob = await createUser(world.database.pool, 'bob@example.com')
  const failing = await Promise.all(
    Array.from({ length: FAILING }, (_, nth) =>
      world.orderWithoutVolume({}, `bob-${nth}.example.com`, { userId: bob, templateId: broken }),
    ),
  )
  const isBobs = (id: string): boolean => failing.some((one) => one.id === id)
  const { told } = await world.worker({
    concurrency: CONCURRENCY,
    backoff: { baseMs: 100, capMs: 100, maxAttempts: 1_000 },
  })
  const starts: string[] = []
  const retried: string[] = []
  let [running, most] = [0, 0]
  told.on('reconcile:start', ({ key }) => {
    starts.push(key.id)
    if (isBobs(key.id)) most = Math.max(most, ++running)
  })
  told.on('reconcile:end', ({ key, outcome }) => {
    if (isBobs(key.id)) running--
    if (outcome === 'retry') retried.push(key.id)
  })
  // From here on more of his are always due than he may have at once.
  await expect.poll(() => retried.length, { timeout: 60_000 }).toBeGreaterThan(0)

  const { id: adas } = await world.orderWithoutVolume({}, 'ada.example.com', { templateId: fine })
  // Hers may have begun already: then nobody was let in before her.
  const before = starts.length
  await expect.poll(() => starts.includes(adas), { interval: 10 }).toBe(true)
  const passedBy = starts.indexOf(adas) - before
  const failuresThen = retried.length
  await world.until(adas, 'ready')
  expect(most).toBe(CONCURRENCY - 1)
  expect(passedBy).toBeLessThan(CONCURRENCY)
  for (const { id } of failing) expect(['pending', 'provisioning']).toContain((await world.row(id)).status)
  await expect.poll(() => retried.length, { timeout: 30_000 }).toBeGreaterThan(failuresThen)
})

test('apps that never get ready hold no place of the worker', async () => {
  await using world = await WorkerWorld.make()
  const input = { healthTimeoutSec: 3_600 }
  const hangs = await world.publish(await writeChart(world.dir, { 'web.yaml': neverReady }), input)
  const fine = await world.publish(await writeChart(world.dir, { 'page.yaml': page('fine') }))
  const bob = await createUser(world.database.pool, 'bob@example.com')
  const others = await Promise.all(
    Array.from({ length: HANGING }, (_, nth) => createUser(world.database.pool, `tenant-${nth}@example.com`)),
  )
  const owners = [...others.map(() => bob), ...others]
  const hanging = await Promise.all(
    owners.map((userId, nth) =>
      world.orderWithoutVolume({}, `hanging-${nth}.example.com`, { userId, templateId: hangs }),
    ),
  )
  const { told } = await world.worker({ concurrency: CONCURRENCY })
  const running = new Set<string>()
  let started = 0
  told.on('reconcile:start', ({ key }) => {
    running.add(key.id)
    started++
  })
  told.on('reconcile:end', ({ key }) => running.delete(key.id))
  const waiting = async () =>
    (await Promise.all(hanging.map(({ id }) => world.row(id)))).filter(({ rollout }) => rollout?.deadlineAt != null)
  await expect.poll(async () => (await waiting()).length, { timeout: 120_000 }).toBe(hanging.length)
  // Each of them is only looked at from time to time.
  await expect.poll(() => running.size, { timeout: 20_000, interval: 10 }).toBe(0)

  const { id: adas } = await world.orderWithoutVolume({}, 'ada.example.com', { templateId: fine })
  const before = started
  await expect.poll(() => running.has(adas), { timeout: 20_000, interval: 1 }).toBe(true)
  const passedBy = started - before
  await world.until(adas, 'ready')
  expect(passedBy).toBeLessThanOrEqual(CONCURRENCY)
  expect(await waiting()).toHaveLength(hanging.length)
})
