import { expect, test } from 'vitest'
import { writeChart } from '../helm/world.ts'
import { neverReady, page } from './charts.ts'
import { createUser } from '../../support/users.ts'
import { WorkerWorld } from './world.ts'

const CONCURRENCY = 4
const FAILING = 8
const TENANTS = 50
const HANGING = 20

test('one of fifty tenants whose apps fail for ever does not delay the others', async () => {
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

  const others = await Promise.all(
    Array.from({ length: TENANTS - 1 }, (_, nth) => createUser(world.database.pool, `tenant-${nth}@example.com`)),
  )
  const before = starts.length
  const ordered = await Promise.all(
    others.map((userId, nth) =>
      world.orderWithoutVolume({}, `tenant-${nth}.example.com`, { userId, templateId: fine }),
    ),
  )
  const waiting = () => ordered.filter(({ id }) => !starts.includes(id)).length
  await expect.poll(waiting, { timeout: 60_000, interval: 10 }).toBe(0)
  const last = Math.max(...ordered.map(({ id }) => starts.indexOf(id)))
  const passedBy = starts.slice(before, last).filter(isBobs).length
  const failuresThen = retried.length
  for (const { id } of ordered) await world.until(id, 'ready')
  expect(most).toBe(CONCURRENCY - 1)
  // As one of many he gets few of the turns, although more of his are due.
  expect(passedBy).toBeLessThan(FAILING)
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
    Array.from({ length: TENANTS }, (_, nth) => createUser(world.database.pool, `tenant-${nth}@example.com`)),
  )
  const owners = [...Array.from({ length: HANGING }, () => bob), ...others]
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
