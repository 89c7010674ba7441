import { expect, test } from 'vitest'
import { manualClock, seededRandom, targetName, type LockAnswer, type TargetLock } from '../../kernel/index.ts'
import { FakeKubernetes } from '../fake/index.ts'
import { withFaults, type FaultPlan } from '../transport/faults.ts'
import { kubeLocks } from './locks.ts'
import { makeClient } from '../client/make-client.ts'

const WEB = targetName('apps', 'Deployment', 'shop', 'web')

function world() {
  const clock = manualClock(Date.parse('2026-01-01T00:00:00Z'))
  const cluster = new FakeKubernetes({ clock, random: seededRandom(1) })
  const process = (faults: FaultPlan = () => undefined) =>
    kubeLocks({
      client: makeClient(withFaults(cluster.transport(), faults, clock), { fieldManager: 'locks' }),
      namespace: 'default',
      clock,
    })
  return { clock, process }
}

const held = (answer: LockAnswer): TargetLock => {
  if (!answer.held) throw new Error(`held by ${answer.by}`)
  return answer.lock
}

test('one holds, the other learns who and until when', async () => {
  const { clock, process } = world()
  const [one, two] = [process(), process()]
  held(await one.acquire(WEB, 'repair', 10_000))
  expect(await two.acquire(WEB, 'upgrade', 10_000)).toEqual({ held: false, by: 'repair', until: clock.now() + 10_000 })
  held(await two.acquire(targetName('apps', 'Deployment', 'shop', 'db'), 'upgrade', 10_000))
})

test('a released lock is free at once, with a greater fence', async () => {
  const { process } = world()
  const first = held(await process().acquire(WEB, 'repair', 10_000))
  await first.release()
  const second = held(await process().acquire(WEB, 'upgrade', 10_000))
  expect(second.fence).toBeGreaterThan(first.fence)
  await first.release()
  expect(await first.renew()).toBe(false)
  expect(await second.renew()).toBe(true)
})

test('a lock that nobody renews passes on; one that is renewed does not', async () => {
  const { clock, process } = world()
  const [one, two] = [process(), process()]
  const first = held(await one.acquire(WEB, 'repair', 10_000))
  expect((await two.acquire(WEB, 'upgrade', 10_000)).held).toBe(false)
  await clock.advance(9_000)
  expect(await first.renew()).toBe(true)
  await clock.advance(9_000)
  expect((await two.acquire(WEB, 'upgrade', 10_000)).held).toBe(false)
  await clock.advance(10_000)
  const second = held(await two.acquire(WEB, 'upgrade', 10_000))
  expect(second.fence).toBeGreaterThan(first.fence)
  expect(await first.renew()).toBe(false)
})

test('whoever holds it already renews it by taking it, with the same fence', async () => {
  const { clock, process } = world()
  const locks = process()
  const first = held(await locks.acquire(WEB, 'repair', 10_000))
  await clock.advance(8_000)
  const again = held(await locks.acquire(WEB, 'repair', 10_000))
  expect(again.fence).toBe(first.fence)
})

test('a holder found for the first time is given its whole time, whatever its clock said', async () => {
  const { clock, process } = world()
  held(await process().acquire(WEB, 'repair', 10_000))
  await clock.advance(60_000)
  const late = process()
  expect(await late.acquire(WEB, 'upgrade', 10_000)).toMatchObject({ held: false, until: clock.now() + 10_000 })
  await clock.advance(10_000)
  held(await late.acquire(WEB, 'upgrade', 10_000))
})

test('an answer that was lost on the way costs nothing', async () => {
  const { process } = world()
  let writes = 0
  const locks = process(({ method }) => (method !== 'GET' && writes++ === 0 ? { fault: 'unanswered' } : undefined))
  await expect(locks.acquire(WEB, 'repair', 10_000)).rejects.toThrow('connection reset')
  const lock = held(await locks.acquire(WEB, 'repair', 10_000))
  expect(lock.fence).toBe(1)
  expect(await lock.renew()).toBe(true)
})
