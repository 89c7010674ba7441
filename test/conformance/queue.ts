import { afterEach, describe, expect, it } from 'vitest'
import {
  failureOf,
  type Claim,
  type Failure,
  type Finish,
  type Key,
  type Queue,
  type Wake,
  type WakeReason,
} from '../../src/kernel/index.ts'

export interface QueueUnderTest {
  readonly queue: Queue
  /** Moves the queue's clock forward. */
  readonly pass: (ms: number) => Promise<void>
  readonly close?: () => Promise<void>
}

/** The lease of every queue under test. It is longer than any pause of a busy machine. */
export const LEASE_MS = 60_000

const key = (id: string): Key => ({ kind: 'Thing', id })
const failure: Failure = {
  code: 'Broken',
  message: 'it broke',
  whoseMove: 'user',
  retryable: true,
  nextStep: 'mend it',
}
const EXTENDED = { gone: [], untouched: [] }
const ids = (claims: readonly Claim[]): string[] => claims.map((claim) => claim.key.id)

/** The named properties of a Queue, each as a sentence. */
export function exerciseQueue(name: string, make: () => Promise<QueueUnderTest>): void {
  describe(`${name} is a Queue`, () => {
    let open: QueueUnderTest | undefined
    const fresh = async (): Promise<QueueUnderTest> => (open = await make())
    const one = async (queue: Queue, worker = 'w'): Promise<Claim> => {
      const [claim] = await queue.claim(worker, 1)
      if (claim === undefined) throw new Error('expected a key to be due')
      return claim
    }
    afterEach(async () => {
      await open?.close?.()
      open = undefined
    })

    it('has nothing to claim before a wake', async () => {
      const { queue } = await fresh()
      expect(await queue.claim('w', 10)).toEqual([])
    })

    it('makes one run of many wakes', async () => {
      const { queue } = await fresh()
      for (let i = 0; i < 5; i++) await queue.wake(key('a'), { reason: 'changed' })
      expect(ids(await queue.claim('w', 10))).toEqual(['a'])
      expect(await queue.claim('w', 10)).toEqual([])
    })

    it('never gives a key to two at once', async () => {
      const { queue } = await fresh()
      await Promise.all(Array.from({ length: 40 }, (_, i) => queue.wake(key(`k${i}`), { reason: 'created' })))
      const claimed = (await Promise.all(['v', 'w', 'x', 'y'].map((worker) => queue.claim(worker, 15)))).flatMap(ids)
      const rest = ids(await queue.claim('z', 40))
      expect([...claimed, ...rest].toSorted()).toEqual(Array.from({ length: 40 }, (_, i) => `k${i}`).toSorted())
    })

    it('keeps a wake that arrives during a run, and runs it afterwards, not at the same time', async () => {
      const { queue } = await fresh()
      await queue.wake(key('a'), { reason: 'created' })
      const claim = await one(queue)
      await queue.wake(key('a'), { reason: 'changed' })
      expect(await queue.claim('w2', 1)).toEqual([])
      expect(await queue.finish(claim, { then: 'forget' })).toBe(true)
      expect((await one(queue)).reason).toBe('changed')
    })

    it('forgets a key that settled', async () => {
      const { queue, pass } = await fresh()
      await queue.wake(key('a'), { reason: 'created' })
      await queue.finish(await one(queue), { then: 'forget' })
      await pass(LEASE_MS * 2)
      expect(await queue.claim('w', 1)).toEqual([])
    })

    it('waits for the given time, and counts no attempt for it', async () => {
      const { queue, pass } = await fresh()
      await queue.wake(key('a'), { reason: 'created' })
      await queue.finish(await one(queue), { then: 'retry', afterMs: 0, failure })
      await queue.finish(await one(queue), { then: 'again', afterMs: 20_000, because: 'namespace is terminating' })
      expect(await queue.claim('w', 1)).toEqual([])
      await pass(20_050)
      expect((await one(queue)).attempt).toBe(0)
    })

    it('counts failed runs, and forgives them when a user changes something', async () => {
      const { queue } = await fresh()
      await queue.wake(key('a'), { reason: 'created' })
      await queue.finish(await one(queue), { then: 'retry', afterMs: 0, failure })
      const second = await one(queue)
      expect(second).toMatchObject({ attempt: 1, reason: 'retry' })
      await queue.finish(second, { then: 'retry', afterMs: 60_000, failure })
      await queue.wake(key('a'), { reason: 'changed' })
      expect((await one(queue)).attempt).toBe(0)
    })

    it('counts on when the world, not a user, wakes a failing key', async () => {
      const { queue } = await fresh()
      await queue.wake(key('a'), { reason: 'created' })
      await queue.finish(await one(queue), { then: 'retry', afterMs: 60_000, failure })
      await queue.wake(key('a'), { reason: 'childChanged' })
      expect((await one(queue)).attempt).toBe(1)
    })

    it('leaves a failed key its backoff when drift wakes it; other reasons run it at once', async () => {
      const { queue, pass } = await fresh()
      const failed: Finish = { then: 'retry', afterMs: 60_000, failure }
      await queue.wake(key('a'), { reason: 'created' })
      await queue.finish(await one(queue), failed)
      await queue.wake(key('a'), { reason: 'drift' })
      expect(await queue.claim('w', 1)).toEqual([])
      await pass(60_050)
      const second = await one(queue)
      expect(second).toMatchObject({ attempt: 1, reason: 'retry' })
      await queue.finish(second, failed)
      await queue.wake(key('a'), { reason: 'drift' })
      await queue.wake(key('a'), { reason: 'retry' })
      expect(await one(queue)).toMatchObject({ attempt: 2, reason: 'retry' })
    })

    it('leaves a key its backoff when drift woke it during the run that failed, and not when a child changed', async () => {
      const { queue, pass } = await fresh()
      const failed: Finish = { then: 'retry', afterMs: 60_000, failure }
      await queue.wake(key('a'), { reason: 'created' })
      const first = await one(queue)
      await queue.wake(key('a'), { reason: 'drift' })
      await queue.finish(first, failed)
      expect(await queue.claim('w', 1)).toEqual([])
      await queue.wake(key('a'), { reason: 'drift' })
      expect(await queue.claim('w', 1)).toEqual([])
      await pass(60_050)
      const second = await one(queue)
      expect(second).toMatchObject({ attempt: 1, reason: 'retry' })
      await queue.wake(key('a'), { reason: 'drift' })
      await queue.wake(key('a'), { reason: 'childChanged' })
      await queue.finish(second, failed)
      expect(await one(queue)).toMatchObject({ attempt: 2, reason: 'childChanged' })
    })

    it('does not run a parked key before it is woken', async () => {
      const { queue, pass } = await fresh()
      await queue.wake(key('a'), { reason: 'created' })
      await queue.finish(await one(queue), { then: 'park', failure })
      await pass(LEASE_MS * 2)
      expect(await queue.claim('w', 1)).toEqual([])
      await queue.wake(key('a'), { reason: 'drift' })
      expect(await one(queue)).toMatchObject({ attempt: 0, reason: 'drift' })
    })

    it('runs a key again that was woken during the run that parked it', async () => {
      const { queue } = await fresh()
      await queue.wake(key('a'), { reason: 'created' })
      const claim = await one(queue)
      await queue.wake(key('a'), { reason: 'changed' })
      await queue.finish(claim, { then: 'park', failure })
      expect(ids(await queue.claim('w', 1))).toEqual(['a'])
    })

    it('gives a key that was handed back to the next who asks, without an attempt', async () => {
      const { queue } = await fresh()
      await queue.wake(key('a'), { reason: 'changed' })
      const claim = await one(queue)
      expect(await queue.finish(claim, { then: 'handBack' })).toBe(true)
      expect(await one(queue)).toMatchObject({ attempt: 0, reason: 'changed' })
    })

    it('does not run a delayed wake early, and an earlier wake wins', async () => {
      const { queue, pass } = await fresh()
      await queue.wake(key('a'), { reason: 'drift', afterMs: 60_000 })
      await queue.wake(key('a'), { reason: 'drift', afterMs: 15_000 })
      await queue.wake(key('a'), { reason: 'drift', afterMs: 30_000 })
      expect(await queue.claim('w', 1)).toEqual([])
      await pass(15_050)
      expect(ids(await queue.claim('w', 1))).toEqual(['a'])
    })

    it('keeps the stronger of two reasons', async () => {
      const { queue } = await fresh()
      await queue.wake(key('a'), { reason: 'deleted' })
      await queue.wake(key('a'), { reason: 'drift' })
      expect((await one(queue)).reason).toBe('deleted')
    })

    it('runs what a user changed before what the world moved, and that before drift', async () => {
      const { queue } = await fresh()
      await queue.wake(key('drift'), { reason: 'drift' })
      await queue.wake(key('child'), { reason: 'childChanged' })
      await queue.wake(key('user'), { reason: 'changed' })
      expect([
        ...ids(await queue.claim('w', 1)),
        ...ids(await queue.claim('w', 1)),
        ...ids(await queue.claim('w', 1)),
      ]).toEqual(['user', 'child', 'drift'])
    })

    it('runs every user change before drift, also where the drift has an earlier turn', async () => {
      const { queue } = await fresh()
      for (const id of ['u1', 'u2', 'u3']) await queue.wake(key(id), { reason: 'changed', tenant: 'busy' })
      await queue.wake(key('drift'), { reason: 'drift', tenant: 'calm' })
      const order: string[] = []
      for (let i = 0; i < 4; i++) order.push(...ids(await queue.claim('w', 1)))
      expect(order).toEqual(['u1', 'u2', 'u3', 'drift'])
    })

    it('does not claim a delayed key because another one has fallen due', async () => {
      const { queue, pass } = await fresh()
      await queue.wake(key('soon'), { reason: 'changed', afterMs: 20_000 })
      await queue.wake(key('later'), { reason: 'changed', afterMs: 600_000 })
      await pass(20_050)
      expect(ids(await queue.claim('w', 5))).toEqual(['soon'])
      expect(await queue.claim('w', 5)).toEqual([])
    })

    it('gives a delayed change that has fallen due its place before drift that waits', async () => {
      const { queue, pass } = await fresh()
      await queue.wake(key('user'), { reason: 'changed', afterMs: 100 })
      await queue.wake(key('drift'), { reason: 'drift' })
      await pass(150)
      expect(ids(await queue.claim('w', 1))).toEqual(['user'])
    })

    it('serves one tenant in the order of its wakes', async () => {
      const { queue } = await fresh()
      for (const id of ['a', 'b', 'c', 'd']) await queue.wake(key(id), { reason: 'changed', tenant: 't' })
      const order: string[] = []
      for (let i = 0; i < 4; i++) order.push(...ids(await queue.claim('w', 1)))
      expect(order).toEqual(['a', 'b', 'c', 'd'])
    })

    it('lets tenants take turns, however many keys one of them has', async () => {
      const { queue } = await fresh()
      for (let i = 0; i < 20; i++) await queue.wake(key(`big${i}`), { reason: 'changed', tenant: 'big' })
      for (let i = 0; i < 3; i++) await queue.finish(await one(queue), { then: 'forget' })
      for (let i = 0; i < 2; i++) await queue.wake(key(`small${i}`), { reason: 'changed', tenant: 'small' })
      const next: string[] = []
      for (let i = 0; i < 5; i++) {
        const claim = await one(queue)
        next.push(claim.key.id)
        await queue.finish(claim, { then: 'forget' })
      }
      expect(next.filter((id) => id.startsWith('small'))).toEqual(['small0', 'small1'])
    })

    it('does not let a tenant that always has one more key starve another', async () => {
      const { queue } = await fresh()
      await queue.wake(key('patient1'), { reason: 'changed', tenant: 'patient' })
      await queue.wake(key('patient2'), { reason: 'changed', tenant: 'patient' })
      const served: string[] = []
      for (let i = 0; i < 8; i++) {
        await queue.wake(key(`pushy${i}`), { reason: 'changed', tenant: 'pushy' })
        const claim = await one(queue)
        served.push(claim.key.id)
        await queue.finish(claim, { then: 'forget' })
      }
      expect(served).toContain('patient2')
    })

    it.each<[string, readonly Wake[], string | undefined]>([
      ...(['drift', 'retry', 'childChanged'] as const).flatMap((reason): [string, Wake[], string][] => [
        [
          `stays with its tenant: ${reason}`,
          [
            { reason, tenant: 'a' },
            { reason, tenant: 'b' },
          ],
          'a',
        ],
        [`gets a tenant if it has none: ${reason}`, [{ reason }, { reason, tenant: 'b' }], 'b'],
      ]),
      ...(['created', 'changed', 'deleted'] as const).flatMap((reason): [string, Wake[], string][] => [
        [
          `moves to the tenant of a user: ${reason}`,
          [
            { reason: 'drift', tenant: 'a' },
            { reason, tenant: 'b' },
          ],
          'b',
        ],
        [`stays with its tenant if a user names none: ${reason}`, [{ reason: 'drift', tenant: 'a' }, { reason }], 'a'],
      ]),
      ['has no tenant if the name is empty', [{ reason: 'changed', tenant: '' }], undefined],
      [
        'stays with its tenant if the name is empty',
        [
          { reason: 'drift', tenant: 'a' },
          { reason: 'changed', tenant: '' },
        ],
        'a',
      ],
    ])('a key %s', async (_, wakes, tenant) => {
      const { queue } = await fresh()
      for (const wake of wakes) await queue.wake(key('waiting'), wake)
      const waiting = await one(queue)
      expect(waiting.tenant).toBe(tenant)
      await queue.finish(waiting, { then: 'forget' })
      const [first = { reason: 'drift' }, ...rest] = wakes
      await queue.wake(key('running'), first)
      const running = await one(queue)
      for (const wake of rest) await queue.wake(key('running'), wake)
      await queue.finish(running, { then: 'handBack' })
      expect((await one(queue)).tenant).toBe(tenant)
    })

    it('gives one tenant no more than its share of a worker', async () => {
      const { queue } = await fresh()
      for (let i = 0; i < 6; i++) await queue.wake(key(`a${i}`), { reason: 'changed', tenant: 'a' })
      await queue.wake(key('b0'), { reason: 'changed', tenant: 'b' })
      const claims = await queue.claim('w', 6, { perTenant: 2, running: new Map([['a', 1]]) })
      expect(ids(claims).toSorted()).toEqual(['a0', 'b0'])
      expect(ids(await queue.claim('w', 6, { perTenant: 3, running: new Map([['a', 1]]) }))).toEqual(['a1', 'a2'])
    })

    it('takes a key away from a holder that does not renew, under a greater fence', async () => {
      const { queue, pass } = await fresh()
      await queue.wake(key('a'), { reason: 'changed' })
      const dead = await one(queue, 'dead')
      expect(await queue.claim('alive', 1)).toEqual([])
      await pass(LEASE_MS + 50)
      const taken = await one(queue, 'alive')
      expect(taken).toMatchObject({ attempt: 0, reason: 'changed' })
      expect(taken.fence).toBeGreaterThan(dead.fence)
    })

    it('takes over at once from a dead holder, also after a wake with a later due time', async () => {
      const { queue, pass } = await fresh()
      await queue.wake(key('a'), { reason: 'changed' })
      await one(queue, 'dead')
      await queue.wake(key('a'), { reason: 'drift', afterMs: 60_000 })
      await pass(LEASE_MS + 50)
      expect((await one(queue, 'alive')).reason).toBe('changed')
    })

    it('lets a zombie neither finish nor renew', async () => {
      const { queue, pass } = await fresh()
      await queue.wake(key('a'), { reason: 'changed' })
      const zombie = await one(queue, 'zombie')
      await pass(LEASE_MS + 50)
      const holder = await one(queue, 'holder')
      expect(await queue.renew([zombie])).toEqual({ gone: [zombie], untouched: [] })
      expect(await queue.finish(zombie, { then: 'forget' })).toBe(false)
      expect(await queue.renew([holder])).toEqual(EXTENDED)
      expect(await queue.finish(holder, { then: 'forget' })).toBe(true)
    })

    it('leaves a key to the holder that renews', async () => {
      const { queue, pass } = await fresh()
      await queue.wake(key('a'), { reason: 'changed' })
      const claim = await one(queue)
      for (let i = 0; i < 3; i++) {
        await pass(LEASE_MS / 2)
        expect(await queue.renew([claim])).toEqual(EXTENDED)
      }
      expect(await queue.claim('other', 1)).toEqual([])
      expect(await queue.finish(claim, { then: 'forget' })).toBe(true)
    })

    /** Claims the key and lets the lease lapse, `times` times in a row. Answers the next claim. */
    const lapsed = async ({ queue, pass }: QueueUnderTest, times: number): Promise<Claim> => {
      for (let i = 0; i < times; i++) {
        await one(queue)
        await pass(LEASE_MS + 50)
      }
      return await one(queue)
    }

    it('counts the leases of a key that lapse in a row, and reports them to the claim that takes over', async () => {
      const made = await fresh()
      await made.queue.wake(key('a'), { reason: 'childChanged' })
      expect(await one(made.queue)).toMatchObject({ lapses: 0 })
      await made.pass(LEASE_MS + 50)
      expect(await lapsed(made, 1)).toMatchObject({ lapses: 2, attempt: 0, reason: 'childChanged' })
    })

    it.each<Finish>([
      { then: 'forget' },
      { then: 'again', afterMs: 0, because: 'waiting' },
      { then: 'retry', afterMs: 0, failure },
      { then: 'park', failure },
    ])('counts lapses from zero after a run that finished: $then', async (how) => {
      const made = await fresh()
      await made.queue.wake(key('a'), { reason: 'childChanged' })
      await made.queue.finish(await lapsed(made, 2), how)
      await made.queue.wake(key('a'), { reason: 'childChanged' })
      expect(await lapsed(made, 1)).toMatchObject({ lapses: 1 })
    })

    it('keeps the lapses of a key that was handed back or postponed, and reports each lapse once', async () => {
      const made = await fresh()
      const { queue, pass } = made
      await queue.wake(key('a'), { reason: 'childChanged' })
      await queue.finish(await lapsed(made, 2), { then: 'postpone', afterMs: 20_000, because: 'its runs never end' })
      expect(await queue.claim('w', 1)).toEqual([])
      await pass(20_050)
      const postponed = await one(queue)
      expect(postponed).toMatchObject({ lapses: 0, attempt: 0, reason: 'childChanged' })
      await queue.finish(postponed, { then: 'handBack' })
      expect(await lapsed(made, 1)).toMatchObject({ lapses: 3 })
    })

    it('postpones a key despite a wake by the world during the lapsed run, and runs it at once for a user', async () => {
      const made = await fresh()
      const { queue, pass } = made
      const postpone: Finish = { then: 'postpone', afterMs: 60_000, because: 'its runs never end' }
      await queue.wake(key('a'), { reason: 'changed' })
      await one(queue)
      await queue.wake(key('a'), { reason: 'drift' })
      await pass(LEASE_MS + 50)
      const second = await one(queue)
      await queue.wake(key('a'), { reason: 'childChanged' })
      await queue.finish(second, postpone)
      expect(await queue.claim('w', 1)).toEqual([])
      await pass(60_050)
      const third = await one(queue)
      await queue.wake(key('a'), { reason: 'changed' })
      await queue.finish(third, postpone)
      expect(await lapsed(made, 1)).toMatchObject({ lapses: 1 })
    })

    it('parks a key that is given up; the drift scan runs it once, and its next lapse counts on', async () => {
      const made = await fresh()
      const { queue, pass } = made
      await queue.wake(key('a'), { reason: 'drift' })
      const hopeless = await lapsed(made, 3)
      await queue.wake(key('a'), { reason: 'drift' })
      await queue.finish(hopeless, { then: 'giveUp', failure })
      await pass(LEASE_MS * 2)
      expect(await queue.claim('w', 1)).toEqual([])
      await queue.wake(key('a'), { reason: 'childChanged' })
      expect(await queue.claim('w', 1)).toEqual([])
      await queue.wake(key('a'), { reason: 'drift' })
      expect(await lapsed(made, 1)).toMatchObject({ lapses: 4 })
    })

    it('counts lapses anew when a user changes something, during the lapsed run too', async () => {
      const made = await fresh()
      const { queue, pass } = made
      await queue.wake(key('a'), { reason: 'drift' })
      await queue.finish(await lapsed(made, 3), { then: 'giveUp', failure })
      await queue.wake(key('a'), { reason: 'changed' })
      expect(await lapsed(made, 1)).toMatchObject({ lapses: 1 })
      await queue.wake(key('a'), { reason: 'changed' })
      await pass(LEASE_MS + 50)
      expect(await one(queue)).toMatchObject({ lapses: 0 })
    })

    it('a wake by a user during a lapsed run starts the count anew once, and not at every later lapse', async () => {
      const made = await fresh()
      const { queue, pass } = made
      await queue.wake(key('a'), { reason: 'created' })
      await lapsed(made, 1)
      await queue.wake(key('a'), { reason: 'changed' })
      await pass(LEASE_MS + 50)
      expect(await one(queue)).toMatchObject({ lapses: 0 })
      await pass(LEASE_MS + 50)
      expect(await lapsed(made, 2)).toMatchObject({ lapses: 3 })
    })

    it.each(['\0', '\ud83d'])('finishes a claim whose failure or reason quotes the character %j', async (bad) => {
      const { queue, pass } = await fresh()
      await queue.wake(key('a'), { reason: 'created' })
      const quoting = failureOf(new Error(`said ${bad}`))
      expect(await queue.finish(await one(queue), { then: 'retry', afterMs: 1_000, failure: quoting })).toBe(true)
      await pass(1_050)
      const retried = await one(queue)
      expect(retried).toMatchObject({ attempt: 1 })
      expect(await queue.finish(retried, { then: 'again', afterMs: 1_000, because: `waiting for ${bad}` })).toBe(true)
    })

    it('passes over a crowd of keys whose tenant has used up its share, and keeps the order of the others', async () => {
      const { queue } = await fresh()
      const wakeAll = (tenant: string, reason: WakeReason, count: number): Promise<unknown> =>
        Promise.all(Array.from({ length: count }, (_, i) => queue.wake(key(`${tenant}${i}`), { reason, tenant })))
      await wakeAll('crowd', 'created', 6_000)
      for (const [tenant, reason] of [
        ['d', 'drift'] as const,
        ['c', 'childChanged'] as const,
        ['b', 'changed'] as const,
      ])
        await wakeAll(tenant, reason, 4)
      const running = new Map([['crowd', 1]])
      const claimed: string[] = []
      for (let asked = 0; asked < 4; asked++) {
        const claims = await queue.claim('w', 5, { perTenant: 2, running })
        claimed.push(...ids(claims))
        for (const claim of claims) if (claim.tenant !== 'crowd') await queue.finish(claim, { then: 'forget' })
        running.set('crowd', 2)
      }
      expect(claimed.filter((id) => id.startsWith('crowd'))).toEqual(['crowd0'])
      expect(claimed.filter((id) => !id.startsWith('crowd'))).toEqual([
        'b0',
        'b1',
        'c0',
        'c1',
        'b2',
        'b3',
        'c2',
        'c3',
        'd0',
        'd1',
        'd2',
        'd3',
      ])
    })

    it('gives fences that grow, also for a key that was forgotten in between', async () => {
      const { queue } = await fresh()
      const fences: number[] = []
      for (let i = 0; i < 3; i++) {
        await queue.wake(key('a'), { reason: 'changed' })
        const claim = await one(queue)
        fences.push(claim.fence)
        await queue.finish(claim, { then: 'forget' })
      }
      expect(fences).toEqual([...new Set(fences)].toSorted((a, b) => a - b))
    })

    it('gives a hint when a key is woken, when one falls due, and when one was woken during its run', async () => {
      const { queue, pass } = await fresh()
      let hints = 0
      const stop = queue.onReady(() => void hints++)
      const hinted = async (): Promise<void> => {
        await expect
          .poll(async () => {
            if (hints === 0) await pass(20)
            return hints
          })
          .toBeGreaterThan(0)
        hints = 0
      }
      await queue.wake(key('a'), { reason: 'changed' })
      await hinted()
      const claim = await one(queue)
      await queue.wake(key('a'), { reason: 'changed' })
      await pass(60)
      hints = 0
      await queue.finish(claim, { then: 'again', afterMs: 60_000, because: 'waiting' })
      await hinted()
      await queue.finish(await one(queue), { then: 'again', afterMs: 100, because: 'waiting' })
      hints = 0
      await hinted()
      stop()
    })

    it('keeps kinds apart', async () => {
      const { queue } = await fresh()
      await queue.wake({ kind: 'One', id: 'x' }, { reason: 'changed' })
      await queue.wake({ kind: 'Two', id: 'x' }, { reason: 'changed' })
      expect((await queue.claim('w', 10)).map((claim) => claim.key.kind).toSorted()).toEqual(['One', 'Two'])
    })
  })
}
