import { expect, test } from 'vitest'
import { createEmitter, manualClock } from '../../kernel/index.ts'
import type { ClustersEvents } from './events.ts'
import { exampleSettings } from './fake/example.ts'
import { passService, type PassDeps } from './pass.ts'

const MINUTE = 60_000

/** The times of passes, in seconds, over a watch that is current when it is said to be. */
async function passesOf(isCurrent: (second: number) => boolean, seconds: number): Promise<readonly number[]> {
  const clock = manualClock(0)
  const second = (): number => Math.floor(clock.elapsed() / 1000)
  const passes: number[] = []
  const shoots = {
    get isCurrent() {
      return isCurrent(second())
    },
  }
  const page = () => {
    passes.push(second())
    return Promise.resolve([])
  }
  const parts = { gardener: { shoots }, rows: { page }, queue: { wake: () => Promise.resolve() } }
  const emitter = createEmitter<ClustersEvents>()
  const deps = { ...parts, settings: exampleSettings, clock, emitter } as unknown as PassDeps
  const service = passService(deps, 5 * MINUTE)
  await service.start()
  for (let now = 0; now < 2 * seconds; now++) await clock.advance(500)
  await service.stop()
  return passes
}

test('a pass follows at once when the watch is current again after an outage', async () => {
  const [first = NaN, second = NaN, ...others] = await passesOf((now) => now < 20 || now >= 60, 120)
  expect(first).toBeLessThanOrEqual(1)
  expect(second).toBeGreaterThanOrEqual(60)
  expect(second).toBeLessThanOrEqual(61)
  expect(others).toEqual([])
})

test('a watch that ends every other second causes no pass every other second', async () => {
  const passes = await passesOf((now) => now % 2 === 0, 120)
  expect(passes.length).toBeGreaterThan(6)
  for (const [at, second] of passes.slice(1).entries()) expect(second - passes[at]!).toBeGreaterThanOrEqual(10)
})
