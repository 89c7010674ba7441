import { expect, test } from 'vitest'
import { manualClock, seededRandom, targetName, type LockAnswer, type TargetLock } from '../../kernel/index.ts'
import { makeClient } from '../client/make-client.ts'
import { FakeKubernetes } from '../fake/index.ts'
import { withFaults, type FaultPlan } from '../transport/faults.ts'
import { Lease } from '../types/coordination-v1.ts'
import { kubeLocks } from './locks.ts'

const WEB = targetName('apps', 'Deployment', 'shop', 'web')
const by = (holder: string) => ({ holder, ttlMs: 10_000 })

function world() {
  const clock = manualClock(Date.parse('2026-01-01T00:00:00Z'))
  const cluster = new FakeKubernetes({ clock, random: seededRandom(1) })
  const process = (faults: FaultPlan = () => undefined) =>
    kubeLocks({
      client: makeClient(withFaults(cluster.transport(), faults, clock), { fieldManager: 'locks' }),
      namespace: 'default',
      clock,
    })
  const admin = makeClient(cluster.transport(), { fieldManager: 'test' })
  return { clock, process, admin, leases: () => admin.list(Lease) }
}

const held = (answer: LockAnswer): TargetLock => {
  if (!answer.held) throw new Error(`held by ${answer.by}`)
  return answer.lock
}

test('one holder has the lock; another learns its name and when the lock expires', async () => {
  const { clock, process } = world()
  const [one, two] = [process(), process()]
  held(await one.acquire(WEB, by('repair')))
  const holder = { by: 'repair', until: clock.now() + 10_000 }
  expect(await two.acquire(WEB, by('upgrade'))).toEqual({ held: false, ...holder })
  expect(await two.holderOf(WEB)).toEqual(holder)
  held(await two.acquire(targetName('apps', 'Deployment', 'shop', 'db'), by('upgrade')))
})

test('a predecessor under the same name cannot take the lock from its successor', async () => {
  const { process } = world()
  const [old, successor] = [process(), process()]
  held(await old.acquire(WEB, { ...by('apps/1'), claimFence: 4 }))
  const taken = held(await successor.acquire(WEB, { ...by('apps/1'), claimFence: 5 }))
  expect(await old.acquire(WEB, { ...by('apps/1'), claimFence: 4 })).toMatchObject({ held: false, by: 'apps/1' })
  expect(await taken.renew()).toBe(true)
  held(await old.acquire(WEB, { ...by('apps/1'), claimFence: 6 }))
  expect(await taken.renew()).toBe(false)
})

test('an acquisition does not speak for a Lease that was deleted and created again', async () => {
  const { process, admin } = world()
  const first = held(await process().acquire(WEB, by('apps/1')))
  const [lease] = await admin.list(Lease)
  await admin.delete(Lease, { namespace: 'default', name: lease?.metadata.name ?? '' })
  const second = held(await process().acquire(WEB, by('apps/1')))
  expect(await first.renew()).toBe(false)
  await first.release()
  expect(await second.renew()).toBe(true)
})

test('holderOf takes nothing and finds no holder where there is none', async () => {
  const { clock, process, leases } = world()
  const [one, two] = [process(), process()]
  expect(await two.holderOf(WEB)).toBeUndefined()
  held(await one.acquire(WEB, by('repair')))
  await two.holderOf(WEB)
  await clock.advance(10_000)
  expect(await two.holderOf(WEB)).toBeUndefined()
  expect((await leases())[0]?.spec?.holderIdentity).toBe('repair')
})

test('a release deletes the Lease and frees the lock at once; the next fence is greater', async () => {
  const { process, leases } = world()
  const first = held(await process().acquire(WEB, by('repair')))
  await first.release()
  expect(await leases()).toEqual([])
  const second = held(await process().acquire(WEB, by('upgrade')))
  expect(second.fence).toBeGreaterThan(first.fence)
  await first.release()
  expect(await first.renew()).toBe(false)
  expect(await second.renew()).toBe(true)
})

test('taking over under the same name voids the lock of the predecessor', async () => {
  const { clock, process } = world()
  const first = held(await process().acquire(WEB, by('apps/1')))
  await clock.advance(1_000)
  const second = held(await process().acquire(WEB, by('apps/1')))
  expect(second.fence).toBeGreaterThan(first.fence)
  await first.release()
  expect(await first.renew()).toBe(false)
  expect((await process().acquire(WEB, by('actions/restart'))).held).toBe(false)
  expect(await second.renew()).toBe(true)
})

test('a void lock does not prolong the lock of its successor', async () => {
  const { clock, process } = world()
  const other = process()
  const first = held(await process().acquire(WEB, by('apps/1')))
  held(await process().acquire(WEB, by('apps/1')))
  await other.acquire(WEB, by('actions/restart'))
  await clock.advance(9_000)
  await first.renew()
  await clock.advance(1_000)
  held(await other.acquire(WEB, by('actions/restart')))
})

test('a lock without renewals passes on, a renewed one does not', async () => {
  const { clock, process } = world()
  const [one, two] = [process(), process()]
  const first = held(await one.acquire(WEB, by('repair')))
  expect((await two.acquire(WEB, by('upgrade'))).held).toBe(false)
  await clock.advance(9_000)
  expect(await first.renew()).toBe(true)
  await clock.advance(9_000)
  expect((await two.acquire(WEB, by('upgrade'))).held).toBe(false)
  await clock.advance(10_000)
  const second = held(await two.acquire(WEB, by('upgrade')))
  expect(second.fence).toBeGreaterThan(first.fence)
  expect(await first.renew()).toBe(false)
})

test('a holder that is seen for the first time gets its whole TTL, whatever the times in its Lease are', async () => {
  const { clock, process } = world()
  held(await process().acquire(WEB, by('repair')))
  await clock.advance(60_000)
  const late = process()
  expect(await late.acquire(WEB, by('upgrade'))).toMatchObject({ held: false, until: clock.now() + 10_000 })
  await clock.advance(10_000)
  held(await late.acquire(WEB, by('upgrade')))
})

test('an acquisition whose answer was lost can be repeated', async () => {
  const { process } = world()
  let writes = 0
  const locks = process(({ method }) => (method !== 'GET' && writes++ === 0 ? { fault: 'unanswered' } : undefined))
  await expect(locks.acquire(WEB, by('repair'))).rejects.toThrow('connection reset')
  expect(await held(await locks.acquire(WEB, by('repair'))).renew()).toBe(true)
})

test('a release after a renewal whose answer was lost deletes the renewed Lease', async () => {
  const { process, leases } = world()
  const locks = process(({ method }) => (method === 'PUT' ? { fault: 'unanswered' } : undefined))
  const lock = held(await locks.acquire(WEB, by('repair')))
  await expect(lock.renew()).rejects.toThrow('connection reset')
  await lock.release()
  expect(await leases()).toEqual([])
})
