import { afterEach, describe, expect, it } from 'vitest'
import { manualClock, type Clock, type ManualClock } from './clock.ts'
import { controller, type ControllerOptions, type Reconcile, type Run } from './controller.ts'
import { decisionLog } from './decisions.ts'
import { createEmitter, type KernelEvents } from './emitter.ts'
import { messageOf } from './errors.ts'
import type { Key } from './key.ts'
import { settled } from './outcome.ts'
import { MemoryQueue } from './queue/memory-queue.ts'
import type { Claim, Queue, Renewal } from './queue/queue.ts'
import type { Service } from './service.ts'

const LEASE_MS = 30_000
const key = (id: string): Key => ({ kind: 'Thing', id })

const open: { loop: Service; clock: ManualClock }[] = []
afterEach(async () => {
  for (const { loop, clock } of open.splice(0)) {
    const stopped = loop.stop({ atOnce: true })
    await clock.advance(LEASE_MS * 2)
    await stopped
  }
})

type Method = 'claim' | 'renew' | 'finish'

/** A loop on a queue whose answers the test can refuse, delay or replace. The queue itself is always reachable as `memory`. */
async function world(reconcile: Reconcile, options: Partial<ControllerOptions> = {}) {
  const clock = manualClock()
  const step = { wallMs: 0 }
  const stepping: Clock = { ...clock, now: () => clock.now() + step.wallMs }
  const memory = new MemoryQueue({ clock, leaseMs: LEASE_MS })
  const network = {
    isAway: false,
    /** How long the next answer of each method takes. */
    delayMs: new Map<Method, number>(),
    calls: [] as Method[],
    renewal: undefined as ((claims: readonly Claim[]) => Renewal) | undefined,
  }
  const over = async <T>(method: Method, call: () => Promise<T>): Promise<T> => {
    network.calls.push(method)
    if (network.isAway) throw new Error('connection refused')
    const delayMs = network.delayMs.get(method) ?? 0
    network.delayMs.delete(method)
    const answer = await call()
    if (delayMs > 0) await new Promise<void>((resolve) => void clock.after(delayMs, resolve))
    return answer
  }
  const queue: Queue = {
    leaseMs: LEASE_MS,
    wake: (...args) => memory.wake(...args),
    claim: (...args) => over('claim', () => memory.claim(...args)),
    finish: (...args) => over('finish', () => memory.finish(...args)),
    renew: (claims) => over('renew', async () => network.renewal?.(claims) ?? (await memory.renew(claims))),
    onReady: (listener) => memory.onReady(listener),
  }
  const emitter = createEmitter<KernelEvents>()
  const lost: string[] = []
  const stuck: string[] = []
  const ends: KernelEvents['reconcile:end'][] = []
  const unreachable: string[] = []
  emitter.on('lease:lost', (what) => lost.push(what.key.id))
  emitter.on('run:stuck', (what) => stuck.push(what.key.id))
  emitter.on('reconcile:end', (end) => ends.push(end))
  emitter.on('queue:unreachable', ({ doing, error }) => unreachable.push(`${doing}: ${messageOf(error)}`))
  const loop = controller({
    name: 'things',
    queue,
    reconcile,
    emitter,
    decisions: decisionLog(),
    clock: stepping,
    random: () => 0.5,
    ...options,
  })
  open.push({ loop, clock })
  await loop.start()
  const wake = (id: string, tenant?: string) => memory.wake(key(id), { reason: 'changed', ...(tenant && { tenant }) })
  const claimElsewhere = async () => (await memory.claim('other', 1)).map((claim) => claim.key.id)
  return { clock, step, memory, network, lost, stuck, ends, unreachable, loop, wake, claimElsewhere }
}

/** Runs until it is aborted. */
const untilAborted: Reconcile = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))

const ignoresAbort: Reconcile = () => new Promise(() => {})

describe('the lease of a run', () => {
  it('counts from before the claim was asked for, however late its answer comes', async () => {
    const w = await world(untilAborted)
    w.network.delayMs.set('claim', LEASE_MS / 4 - 100)
    await w.wake('a')
    await w.clock.advance(LEASE_MS / 4 - 50)
    w.network.isAway = true
    await w.clock.advance(LEASE_MS * 0.75 + 50)
    expect(await w.claimElsewhere()).toEqual(['a'])
    expect(w.lost).toEqual(['a'])
  })

  it('counts from before its renewal was asked for, however late the answer comes', async () => {
    const w = await world(untilAborted)
    await w.wake('a')
    await w.clock.advance(0)
    w.network.delayMs.set('renew', 20_000)
    await w.clock.advance(7_500)
    w.network.isAway = true
    await w.clock.advance(LEASE_MS - 1)
    expect(w.lost).toEqual([])
    await w.clock.advance(1)
    expect(await w.claimElsewhere()).toEqual(['a'])
    expect(w.lost).toEqual(['a'])
  })

  it('is not shortened by the late answer to an earlier renewal', async () => {
    const w = await world(untilAborted)
    await w.wake('a')
    await w.clock.advance(0)
    w.network.delayMs.set('renew', 20_000)
    await w.clock.advance(23_000) // renewed at 15 s and 22.5 s; the request of 7.5 s is answered at 27.5 s
    w.network.isAway = true
    await w.clock.advance(29_400)
    expect(w.lost).toEqual([])
    await w.clock.advance(100)
    expect(w.lost).toEqual(['a'])
  })

  it('is not prolonged by a wall clock that steps back', async () => {
    const w = await world(untilAborted)
    await w.wake('a')
    await w.clock.advance(0)
    w.network.isAway = true
    w.step.wallMs = -3_600_000
    await w.clock.advance(LEASE_MS)
    expect(w.lost).toEqual(['a'])
  })

  it('is over after a suspension, which only the wall clock shows', async () => {
    const w = await world(untilAborted)
    await w.wake('a')
    await w.clock.advance(0)
    w.network.isAway = true
    w.step.wallMs = LEASE_MS
    await w.clock.advance(LEASE_MS / 4)
    expect(w.lost).toEqual(['a'])
  })

  it('is lost when it lapses, not at the next renewal after that', async () => {
    const w = await world(untilAborted)
    await w.clock.advance(3_000)
    await w.wake('a')
    await w.clock.advance(0)
    w.network.isAway = true
    await w.clock.advance(LEASE_MS)
    expect(w.lost).toEqual(['a'])
  })

  it('is not extended by a renewal that could not touch it', async () => {
    const w = await world(untilAborted)
    await w.wake('a')
    await w.clock.advance(0)
    w.network.renewal = (claims) => ({ gone: [], untouched: claims })
    await w.clock.advance(LEASE_MS - 1)
    expect(w.lost).toEqual([])
    await w.clock.advance(1)
    expect(w.lost).toEqual(['a'])
  })

  it('gives back the share of its tenant when it is lost', async () => {
    const runs: string[] = []
    const w = await world(
      (run) => {
        runs.push(run.key.id)
        return run.key.id === 'a2' || runs.length > 1 ? Promise.resolve(settled()) : untilAborted(run)
      },
      { concurrency: 2 },
    )
    await w.wake('a1', 'a')
    await w.clock.advance(0)
    w.network.isAway = true
    await w.clock.advance(LEASE_MS + 10_000)
    expect(w.lost).toEqual(['a1'])
    w.network.isAway = false
    await w.wake('a2', 'a')
    await w.clock.advance(10_000)
    expect(runs).toContain('a2')
  })
})

describe('assertLeased', () => {
  async function leased() {
    const runs: Run[] = []
    const w = await world((run) => (runs.push(run), untilAborted(run)))
    await w.wake('a')
    await w.clock.advance(0)
    return { ...w, runs, assertLeased: () => runs[0]?.assertLeased() }
  }

  it('passes while the lease is renewed', async () => {
    const w = await leased()
    await w.clock.advance(LEASE_MS * 4)
    expect(w.assertLeased).not.toThrow()
  })

  it('refuses a run that was suspended, before a timer has fired', async () => {
    const w = await leased()
    w.step.wallMs = LEASE_MS - 1
    expect(w.assertLeased).not.toThrow()
    w.step.wallMs = LEASE_MS
    expect(w.assertLeased).toThrow('the lease on Thing/a was lost')
    expect(w.runs[0]?.signal.aborted).toBe(true)
    expect(w.lost).toEqual(['a'])
    await w.clock.advance(0)
    expect(w.ends).toMatchObject([{ outcome: 'lost' }])
  })

  it('costs no attempt when it refuses', async () => {
    const attempts: number[] = []
    const resumed = Promise.withResolvers<void>()
    const w = await world(async (run) => {
      attempts.push(run.attempt)
      await resumed.promise
      run.assertLeased()
      return settled()
    })
    await w.wake('a')
    await w.clock.advance(0)
    w.step.wallMs = LEASE_MS
    resumed.resolve()
    await w.clock.advance(LEASE_MS + 5_000)
    expect(w.ends.map(({ outcome }) => outcome)).toEqual(['lost', 'settled'])
    expect(attempts).toEqual([0, 0])
  })

  it('refuses a run whose signal is aborted', async () => {
    const w = await leased()
    await w.clock.advance(600_000)
    expect(w.assertLeased).toThrow('Thing/a took longer than 600000 ms')
  })

  it('refuses a run that has ended', async () => {
    const runs: Run[] = []
    const w = await world(async (run) => (runs.push(run), settled()))
    await w.wake('a')
    await w.clock.advance(0)
    expect(w.ends).toMatchObject([{ outcome: 'settled' }])
    expect(() => runs[0]?.assertLeased()).toThrow('the run of Thing/a has ended')
  })
})

describe('a queue that hangs', () => {
  it('is reported when a claim is not answered, and is asked again', async () => {
    const runs: string[] = []
    const w = await world(async (run) => {
      runs.push(run.key.id)
      return settled()
    })
    w.network.delayMs.set('claim', Infinity)
    await w.wake('a')
    await w.clock.advance(LEASE_MS / 4)
    expect(w.unreachable).toEqual([`claim: claim gave no answer within ${LEASE_MS / 4} ms`])
    await w.wake('b')
    await w.clock.advance(1_000)
    expect(runs).toEqual(['b'])
  })

  it('a claim that hangs does not delay a stop at once, and its keys are handed back', async () => {
    const w = await world(async () => settled())
    await w.wake('a')
    w.network.delayMs.set('claim', LEASE_MS / 4 - 1_000)
    await w.clock.advance(2_000)
    await w.loop.stop({ atOnce: true })
    expect(await w.claimElsewhere()).toEqual([])
    await w.clock.advance(LEASE_MS / 4)
    expect(await w.claimElsewhere()).toEqual(['a'])
  })

  it('gets back the keys of a claim that it answers too late', async () => {
    const runs: string[] = []
    const w = await world(async (run) => {
      runs.push(run.key.id)
      return settled()
    })
    w.network.delayMs.set('claim', LEASE_MS / 4 + 2_000)
    await w.wake('a')
    await w.clock.advance(LEASE_MS / 4 + 1_000)
    expect(runs).toEqual([])
    await w.clock.advance(2_000)
    expect(runs).toEqual(['a'])
  })

  it('gets back the keys of a claim that arrives after a suspension', async () => {
    const runs: number[] = []
    const w = await world(async (run) => {
      runs.push(run.fence)
      return settled()
    })
    w.network.delayMs.set('claim', 10)
    await w.wake('a')
    await w.clock.advance(5)
    w.step.wallMs = LEASE_MS
    await w.clock.advance(5)
    expect(runs).toEqual([])
    expect(w.unreachable).toHaveLength(1)
    await w.clock.advance(1_000)
    expect(runs).toEqual([2])
  })

  it('costs no lease when one renewal of many is never answered', async () => {
    const w = await world(untilAborted)
    await w.wake('a')
    await w.clock.advance(0)
    w.network.delayMs.set('renew', Infinity)
    await w.clock.advance(LEASE_MS * 4)
    expect(w.lost).toEqual([])
    expect(w.unreachable).toEqual([`renew: renew gave no answer within ${LEASE_MS / 4} ms`])
    expect(await w.claimElsewhere()).toEqual([])
  })

  it('blocks the place of a run no longer than its lease when a finish is never answered', async () => {
    const runs: string[] = []
    const w = await world(
      async (run) => {
        runs.push(run.key.id)
        return settled()
      },
      { concurrency: 1 },
    )
    w.network.delayMs.set('finish', Infinity)
    await w.wake('a')
    await w.wake('b')
    await w.clock.advance(LEASE_MS + 5_000)
    expect(runs).toEqual(['a', 'b'])
    expect(w.unreachable).toContain('finish: finish gave no answer before the lease lapsed')
  })
})

describe('a run that never ends', () => {
  it('keeps its key until its lease lapses when the loop stops', async () => {
    const w = await world(ignoresAbort, { stopGraceMs: 5_000 })
    await w.wake('a')
    await w.clock.advance(0)
    const stopped = w.loop.stop()
    await w.clock.advance(10_000)
    await stopped
    expect(await w.claimElsewhere()).toEqual([])
    await w.clock.advance(LEASE_MS)
    expect(await w.claimElsewhere()).toEqual(['a'])
  })

  it('is no longer renewed when it has ignored its abort signal for the grace', async () => {
    const w = await world(ignoresAbort, { timeoutMs: 60_000, abortGraceMs: 5_000, concurrency: 1 })
    await w.wake('a')
    await w.clock.advance(64_999)
    expect(w.stuck).toEqual([])
    await w.clock.advance(1)
    expect(w.stuck).toEqual(['a'])
    await w.clock.advance(LEASE_MS)
    expect(w.lost).toEqual(['a'])
    expect(await w.claimElsewhere()).toEqual(['a'])
  })

  it('is not reported when it heeds its abort signal', async () => {
    const w = await world(untilAborted, { timeoutMs: 60_000, abortGraceMs: 5_000 })
    await w.wake('a')
    await w.clock.advance(100_000)
    expect(w.stuck).toEqual([])
  })

  it('makes its key wait longer and longer, and parks it after the fifth', async () => {
    const starts: number[] = []
    const w = await world(
      () => {
        starts.push(w.clock.now())
        return new Promise(() => {})
      },
      { timeoutMs: 10_000, abortGraceMs: 5_000, concurrency: 10 },
    )
    await w.wake('a')
    await w.clock.advance(900_000)
    expect(starts).toHaveLength(5)
    const pauses = starts.slice(1).map((at, i) => at - (starts[i] ?? 0))
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
    expect(w.ends.map(({ outcome }) => outcome)).toEqual(['checkAgain', 'checkAgain', 'checkAgain', 'terminal'])
    expect(w.ends.at(-1)?.failure).toMatchObject({ code: 'RunNeverEnded', whoseMove: 'operator' })
    await w.wake('a')
    await w.clock.advance(0)
    expect(starts).toHaveLength(6)
  })

  it('reports its failure before the key is parked, and again until the report succeeds', async () => {
    const reports: unknown[] = []
    let left = 2
    const w = await world(() => new Promise(() => {}), {
      timeoutMs: 10_000,
      abortGraceMs: 5_000,
      concurrency: 20,
      reportGivenUp: async ({ key: { id }, fence }, { code }) => {
        reports.push([id, fence, code])
        if (left-- > 0) throw new Error('the database is away')
      },
    })
    await w.wake('a')
    await w.clock.advance(1_200_000)
    expect(reports).toHaveLength(3)
    expect(reports.at(-1)).toEqual(['a', expect.any(Number), 'RunNeverEnded'])
    const given = w.ends.slice(-3).map(({ outcome, failure }) => `${outcome} ${failure?.code}`)
    expect(given).toEqual(['lost Unexpected', 'lost Unexpected', 'terminal RunNeverEnded'])
  })

  it('is parked without a report when reporting never succeeds', async () => {
    let reports = 0
    const w = await world(() => new Promise(() => {}), {
      timeoutMs: 10_000,
      abortGraceMs: 5_000,
      concurrency: 20,
      reportGivenUp: () => (reports++, new Promise(() => {})),
    })
    await w.wake('a')
    await w.clock.advance(3_600_000)
    expect(reports).toBe(5)
    expect(w.ends.at(-1)).toMatchObject({ outcome: 'terminal', failure: { code: 'RunNeverEnded' } })
  })
})
