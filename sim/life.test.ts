import { expect, test } from 'vitest'
import { seededRandom } from '../src/kernel/index.ts'
import { NO_FAULTS } from './faults.ts'
import { Life } from './life.ts'
import { Timeline } from './timeline.ts'
import { VirtualClock } from './virtual-clock.ts'

function stage(step = 0.1, random = seededRandom(1)) {
  const clock = new VirtualClock()
  const machine = { skewMs: 0 }
  const life = new Life({
    name: 'p#1',
    clock,
    machine,
    random,
    timeline: new Timeline(() => clock.now()),
    faults: () => ({ ...NO_FAULTS, step }),
    onCrash: () => {},
  })
  const start = clock.now()
  const until = async (ms: number): Promise<void> => {
    while (await clock.step(start + ms)) {
      // To the given time.
    }
  }
  return { clock, machine, life, until, now: () => clock.now() - start }
}

test('nothing of a paused process runs; its timers fire late and answers arrive when it continues', async () => {
  const { life, until } = stage()
  const ran: string[] = []
  life.clock.after(1_000, () => ran.push('timer'))
  life.pauseForAWhile()
  life.deliver(() => ran.push('answer'))
  await until(1_500)
  expect(ran).toEqual([])
  life.resume()
  await until(1_600)
  expect(ran.toSorted()).toEqual(['answer', 'timer'])
})

test.each([
  ['stopped', 0.1],
  ['suspended', 0],
] as const)('the monotonic time of a process that is %s', async (as, step) => {
  const { life, until } = stage(step, as === 'suspended' ? () => 0 : seededRandom(1))
  const from = life.clock.elapsed()
  const fired: number[] = []
  life.clock.after(6_000, () => fired.push(life.clock.elapsed() - from))
  life.pauseForAWhile()
  expect(life.timeline.lines.at(-1)).toContain(`is ${as}`)
  await until(1_000)
  expect(life.isPaused).toBe(true)
  life.resume()
  const asleep = as === 'suspended' ? 1_000 : 0
  expect(life.clock.elapsed() - from).toBe(1_000 - asleep)
  await until(6_999)
  expect(fired).toEqual(as === 'suspended' ? [] : [6_000])
  await until(7_000)
  expect(fired).toEqual([6_000])
})

test('a wall clock that steps moves no timer and no monotonic time', async () => {
  const { life, machine, until, clock } = stage()
  const fired: number[] = []
  const from = life.clock.elapsed()
  life.clock.after(1_000, () => fired.push(life.clock.elapsed() - from))
  machine.skewMs = -60_000
  expect(life.clock.now()).toBe(clock.now() - 60_000)
  await until(5_000)
  expect(fired).toEqual([1_000])
})

test('a process that ended is never called again', async () => {
  const { life, until } = stage()
  const ran: string[] = []
  life.clock.after(10, () => ran.push('timer'))
  void life.point(10).then(() => ran.push('answer'))
  life.end()
  await until(1_000)
  expect(ran).toEqual([])
})
