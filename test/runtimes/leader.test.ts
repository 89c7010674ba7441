import { test } from 'vitest'
import { fn, RuntimesWorld, type Running } from './world.ts'

/** The renew deadline is longer than the pauses of a busy machine, so that a leader keeps the lead. */
const TIMINGS = { durationMs: 10_000, renewDeadlineMs: 8_000, retryMs: 500 }

const candidate = (world: RuntimesWorld, instance: string): Promise<Running> =>
  world.controller({ instance, leader: { lease: world.at('leader'), timings: TIMINGS } })

test('of two controllers one leads, and the other goes on where it ends', async ({ expect }) => {
  await using world = await RuntimesWorld.make()
  const one = await candidate(world, 'one')
  await expect.poll(() => one.election?.leading, { timeout: 30_000 }).toBe(true)
  const two = await candidate(world, 'two')
  const runs: string[] = []
  for (const [name, { told }] of Object.entries({ one, two })) told.on('reconcile:start', () => void runs.push(name))
  await world.create('cart', { functions: [fn('add')] })
  await world.reaches('cart', 'available')
  expect(new Set(runs)).toEqual(new Set(['one']))
  expect(two.election?.leading).toBe(false)
  await expect.poll(() => two.caches.runtimes.size, { timeout: 30_000 }).toBe(1)
  await one.stop()
  await expect.poll(() => two.election?.leading, { timeout: 30_000 }).toBe(true)
  await world.change('cart', { functions: [fn('add'), fn('list')] })
  const { status } = await world.reaches('cart', 'available')
  expect(status?.functions_ready).toBe('2/2')
})

// Both wait for the end of a lease.
test.concurrent('a leader that dies is followed, and what it left half done is finished', async (context) => {
  await using world = await RuntimesWorld.make()
  const leader = { lease: world.at('leader'), timings: TIMINGS }
  const stopAt = { when: 'before', method: 'PATCH', path: '/services/cart--add$' } as const
  const first = await world.process({ leader, stopAt })
  await world.create('cart', { functions: [fn('add')] })
  await first.reached
  const second = await candidate(world, 'second')
  context.expect(second.election?.leading).toBe(false)
  await first.kill()
  await world.reaches('cart', 'available')
  context.expect(second.election?.leading).toBe(true)
})

test.concurrent('a leader that was paused writes nothing after its successor began', async (context) => {
  await using world = await RuntimesWorld.make()
  const leader = { lease: world.at('leader'), timings: TIMINGS }
  const stopAt = { when: 'paused', method: 'PATCH', path: '/services/cart--add$' } as const
  const first = await world.process({ leader, stopAt })
  await world.create('cart', { functions: [fn('add')] })
  await first.reached
  const second = await world.controller({ instance: 'second', leader })
  await context.expect.poll(() => second.election?.leading, { timeout: 60_000 }).toBe(true)
  await world.reaches('cart', 'available')
  first.proceed()
  await context.expect.poll(() => first.lines.length, { timeout: 30_000 }).toBeGreaterThan(0)
  await world.change('cart', { functions: [fn('add'), fn('list')] })
  await world.reaches('cart', 'available')
  context.expect(first.lines.filter((line) => !line.startsWith('refused'))).toEqual([])
})
