import { afterEach, describe, expect, it } from 'vitest'
import { manualClock, sleep, type ManualClock } from './clock.ts'
import { controller, type ControllerOptions, type Reconcile, type Run } from './controller.ts'
import { decisionLog, type DecisionRecord } from './decisions.ts'
import { defineFailures, type Failure } from './errors.ts'
import { createEmitter, type KernelEvents } from './emitter.ts'
import type { Key } from './key.ts'
import { MemoryQueue } from './queue/memory-queue.ts'
import { checkAgain, settled, Waiting } from './outcome.ts'
import type { Queue } from './queue/queue.ts'
import type { Service } from './service.ts'

const raise = defineFailures({
  TestTerminal: { whoseMove: 'user', retryable: false, nextStep: 'change the spec' },
  TestBusy: { whoseMove: 'platform', retryable: true, nextStep: 'wait' },
})

const key = (id: string): Key => ({ kind: 'Thing', id })

const running: { loop: Service; clock: ManualClock }[] = []
afterEach(async () => {
  for (const { loop, clock } of running.splice(0)) {
    const stopped = loop.stop()
    await clock.advance(60_000)
    await stopped
  }
})

type End = KernelEvents['reconcile:end']

/** A controller on a clock that the test pushes, with everything that happened to it. */
async function world(
  reconcile: Reconcile,
  { clock = manualClock(), ...options }: Partial<ControllerOptions> & { clock?: ManualClock } = {},
) {
  const queue: Queue = options.queue ?? new MemoryQueue({ clock, leaseMs: 30_000 })
  const seen = createEmitter<KernelEvents>()
  const ends: End[] = []
  const unreachable: string[] = []
  const lost: Key[] = []
  seen.on('reconcile:end', (end) => ends.push(end))
  seen.on('queue:unreachable', ({ doing }) => unreachable.push(doing))
  seen.on('lease:lost', (what) => lost.push(what.key))
  const decisions = decisionLog()
  const decided: DecisionRecord[] = []
  decisions.onAdd((record) => decided.push(record))
  const loop = controller({
    name: 'things',
    queue,
    reconcile,
    emitter: seen,
    decisions,
    clock,
    random: () => 0.5,
    backoff: { baseMs: 1_000, capMs: 8_000, maxAttempts: 4 },
    ...options,
  })
  running.push({ loop, clock })
  await loop.start()
  return {
    clock,
    queue,
    ends,
    unreachable,
    lost,
    decided,
    loop,
    wake: (id: string, tenant?: string) => queue.wake(key(id), { reason: 'changed', ...(tenant && { tenant }) }),
  }
}

/** A reconcile that waits until the test lets it go. */
function gate() {
  const runs: { run: Run; finish: () => void; fail: (error: unknown) => void }[] = []
  const reconcile: Reconcile = (run) =>
    new Promise((resolve, reject) => {
      runs.push({ run, finish: () => resolve(settled()), fail: reject })
      run.signal.addEventListener('abort', () => reject(run.signal.reason))
    })
  return { runs, reconcile, keys: () => runs.map(({ run }) => run.key.id) }
}

describe('a run that waits for others', () => {
  it('gives its place to another key, but not its share of its tenant', async () => {
    const { runs, reconcile, keys } = gate()
    const { clock, wake } = await world(reconcile, { concurrency: 2, perTenant: 1, waitingAtMost: 2 })
    for (const tenant of ['a', 'b', 'c']) await wake(`${tenant}1`, tenant)
    await wake('a2', 'a')
    await clock.advance(5_000)
    expect(keys()).toEqual(['a1', 'b1'])
    runs[0]?.run.yieldPlace()
    runs[0]?.run.yieldPlace()
    await clock.advance(5_000)
    expect(keys()).toEqual(['a1', 'b1', 'c1'])
    runs[0]?.finish()
    await clock.advance(5_000)
    expect(keys()).toEqual(['a1', 'b1', 'c1'])
    runs[1]?.finish()
    await clock.advance(5_000)
    expect(keys()).toEqual(['a1', 'b1', 'c1', 'a2'])
  })

  it('keeps its place when as many as may have given theirs away', async () => {
    const { runs, reconcile, keys } = gate()
    const { clock, wake } = await world(reconcile, { concurrency: 1, waitingAtMost: 1 })
    for (const id of ['a', 'b', 'c']) await wake(id, id)
    await clock.advance(5_000)
    runs[0]?.run.yieldPlace()
    await clock.advance(5_000)
    runs[1]?.run.yieldPlace()
    await clock.advance(5_000)
    expect(keys()).toEqual(['a', 'b'])
    runs[0]?.finish()
    await clock.advance(5_000)
    runs[1]?.run.yieldPlace()
    await clock.advance(5_000)
    expect(keys()).toEqual(['a', 'b', 'c'])
  })
})

describe('the loop', () => {
  it('runs a key once for many wakes, and again for a wake during the run', async () => {
    const { runs, reconcile } = gate()
    const { clock, wake } = await world(reconcile)
    await wake('a')
    await wake('a')
    await clock.advance(0)
    expect(runs).toHaveLength(1)
    await wake('a')
    await clock.advance(5_000)
    expect(runs).toHaveLength(1)
    runs[0]?.finish()
    await clock.advance(0)
    expect(runs).toHaveLength(2)
  })

  it('runs no more keys at once than it may', async () => {
    const { runs, reconcile } = gate()
    const { clock, wake } = await world(reconcile, { concurrency: 3 })
    for (const id of ['a', 'b', 'c', 'd', 'e']) await wake(id)
    await clock.advance(0)
    expect(runs).toHaveLength(3)
    runs[1]?.finish()
    await clock.advance(0)
    expect(runs).toHaveLength(4)
  })

  it('keeps a place free for others when one tenant is slow', async () => {
    const { keys, runs, reconcile } = gate()
    const { clock, wake } = await world(reconcile, { concurrency: 3 })
    for (const id of ['a1', 'a2', 'a3', 'a4']) await wake(id, 'a')
    await clock.advance(0)
    expect(keys()).toEqual(['a1', 'a2'])
    await wake('b1', 'b')
    await clock.advance(0)
    expect(keys()).toEqual(['a1', 'a2', 'b1'])
    runs[0]?.finish()
    await clock.advance(0)
    expect(keys()).toEqual(['a1', 'a2', 'b1', 'a3'])
  })

  it('takes the next key of a tenant that had its share as soon as any of its keys ends', async () => {
    const { keys, runs, reconcile } = gate()
    const { clock, wake } = await world(reconcile, { concurrency: 4 })
    for (const id of ['a1', 'a2', 'a3', 'a4', 'a5']) await wake(id, 'a')
    await clock.advance(0)
    expect(keys()).toEqual(['a1', 'a2', 'a3'])
    for (const ended of [0, 1]) {
      runs[ended]?.finish()
      await clock.advance(0)
    }
    expect(keys()).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])
  })

  it('asks again for a tenant whose run ends while the queue is being asked', async () => {
    const { keys, runs, reconcile } = gate()
    const clock = manualClock()
    const queue = new MemoryQueue({ clock, leaseMs: 30_000 })
    const claim = queue.claim.bind(queue)
    let whileAsked = (): void => {}
    queue.claim = async (...asked) => {
      const claims = await claim(...asked)
      whileAsked()
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
      return claims
    }
    const { wake } = await world(reconcile, { clock, queue, concurrency: 3 })
    for (const id of ['a1', 'a2', 'a3', 'a4']) await wake(id, 'a')
    for (let turn = 0; turn < 5; turn++) await clock.advance(0)
    expect(keys()).toEqual(['a1', 'a2'])
    whileAsked = () => runs[1]?.finish()
    runs[0]?.finish()
    for (let turn = 0; turn < 5; turn++) await clock.advance(0)
    expect(keys()).toEqual(['a1', 'a2', 'a3', 'a4'])
  })

  it('retries with exact backoff, then parks, and a wake by a user begins anew', async () => {
    const starts: number[] = []
    const { clock, wake, ends } = await world(async () => {
      starts.push(clock.now())
      throw new Error('broken')
    })
    await wake('a')
    await clock.advance(60_000)
    expect(starts).toEqual([0, 1_000, 3_000, 7_000])
    expect(ends.map(({ outcome }) => outcome)).toEqual(['retry', 'retry', 'retry', 'terminal'])
    await wake('a')
    await clock.advance(1_000)
    expect(starts).toHaveLength(6)
  })

  it('parks at once what retrying cannot help', async () => {
    const { clock, wake, ends } = await world(async () => {
      throw new Error('failed to render', { cause: raise.TestTerminal('no such chart') })
    })
    await wake('a')
    await clock.advance(60_000)
    expect(ends).toHaveLength(1)
    expect(ends[0]).toMatchObject({
      outcome: 'terminal',
      failure: {
        code: 'TestTerminal',
        message: 'failed to render: no such chart',
        whoseMove: 'user',
      } satisfies Partial<Failure>,
    })
  })

  it('waits at least as long as the other side asked for', async () => {
    const starts: number[] = []
    const { clock, wake } = await world(async () => {
      starts.push(clock.now())
      if (starts.length === 1) throw raise.TestBusy('slow down', { retryAfterMs: 20_000 })
      return settled()
    })
    await wake('a')
    await clock.advance(60_000)
    expect(starts).toEqual([0, 20_000])
  })

  it('counts no attempt for waiting', async () => {
    const attempts: number[] = []
    const { clock, wake, ends } = await world(async ({ attempt }) => {
      attempts.push(attempt)
      return attempts.length < 8 ? checkAgain(2_000, 'the namespace is terminating') : settled()
    })
    await wake('a')
    await clock.advance(60_000)
    expect(attempts).toEqual(Array.from({ length: 8 }, () => 0))
    expect(ends.at(-1)?.outcome).toBe('settled')
    expect(ends[0]?.because).toBe('the namespace is terminating')
  })

  it('aborts a run that takes too long and retries it', async () => {
    const { runs, reconcile } = gate()
    const { clock, wake, ends } = await world(reconcile, { timeoutMs: 10_000 })
    await wake('a')
    await clock.advance(10_500)
    expect(ends[0]).toMatchObject({ outcome: 'retry', failure: { code: 'TimedOut' } })
    await clock.advance(1_000)
    expect(runs).toHaveLength(2)
  })

  it('keeps the lease of a long run, and never runs it twice', async () => {
    const { runs, reconcile } = gate()
    const { clock, wake, ends } = await world(reconcile)
    await wake('a')
    await clock.advance(300_000)
    expect(runs).toHaveLength(1)
    runs[0]?.finish()
    await clock.advance(0)
    expect(ends[0]?.outcome).toBe('settled')
  })

  it('aborts a run whose lease passed to another worker, and writes nothing for it', async () => {
    const { runs, reconcile } = gate()
    const clock = manualClock()
    const memory = new MemoryQueue({ clock, leaseMs: 30_000 })
    let partitioned = false
    const queue: Queue = Object.assign(Object.create(memory) as Queue, {
      leaseMs: memory.leaseMs,
      wake: memory.wake.bind(memory),
      claim: (w: string, n: number) => (partitioned ? Promise.reject(new Error('away')) : memory.claim(w, n)),
      finish: memory.finish.bind(memory),
      onReady: memory.onReady.bind(memory),
      renew: (claims: never[]) => (partitioned ? Promise.reject(new Error('away')) : memory.renew(claims)),
    })
    const { wake, lost, ends } = await world(reconcile, { clock, queue })
    await wake('a')
    await clock.advance(0)
    partitioned = true
    await clock.advance(40_000)
    expect(lost).toEqual([key('a')])
    expect(runs[0]?.run.signal.aborted).toBe(true)
    expect(ends[0]?.outcome).toBe('lost')
    expect((await memory.claim('other', 1))[0]?.fence).toBeGreaterThan(runs[0]?.run.fence ?? Infinity)
  })

  it('loses nothing when the queue is unreachable while a run finishes', async () => {
    const { runs, reconcile } = gate()
    const clock = manualClock()
    const memory = new MemoryQueue({ clock, leaseMs: 30_000 })
    let away = false
    const guard =
      <A extends unknown[], R>(fn: (...args: A) => Promise<R>) =>
      (...args: A): Promise<R> =>
        away ? Promise.reject(new Error('connection refused')) : fn(...args)
    const queue: Queue = {
      leaseMs: memory.leaseMs,
      wake: guard(memory.wake.bind(memory)),
      claim: guard(memory.claim.bind(memory)),
      renew: guard(memory.renew.bind(memory)),
      finish: guard(memory.finish.bind(memory)),
      onReady: memory.onReady.bind(memory),
    }
    const { wake, ends, unreachable } = await world(reconcile, { clock, queue })
    await wake('a')
    await clock.advance(0)
    away = true
    runs[0]?.finish()
    await clock.advance(5_000)
    expect(unreachable).toContain('finish')
    away = false
    await clock.advance(5_000)
    expect(ends.map(({ outcome }) => outcome)).toEqual(['settled'])
    await wake('b')
    await clock.advance(5_000)
    expect(runs).toHaveLength(2)
  })

  it('lets runs finish when it is stopped, and claims no more', async () => {
    const { runs, reconcile } = gate()
    const { clock, wake, ends, loop, queue } = await world(reconcile, { concurrency: 1 })
    await wake('a')
    await wake('b')
    await clock.advance(0)
    const stopped = loop.stop()
    await clock.advance(1_000)
    runs[0]?.finish()
    await clock.advance(0)
    await stopped
    expect(ends.map(({ outcome }) => outcome)).toEqual(['settled'])
    expect((await queue.claim('next', 5)).map((claim) => claim.key.id)).toEqual(['b'])
  })

  it('hands back what does not finish in its grace, without an attempt', async () => {
    const { reconcile } = gate()
    const { clock, wake, ends, loop, queue } = await world(reconcile, { stopGraceMs: 5_000 })
    await wake('a')
    await clock.advance(0)
    const stopped = loop.stop()
    await clock.advance(5_000)
    await stopped
    expect(ends[0]?.outcome).toBe('handedBack')
    expect(await queue.claim('next', 1)).toMatchObject([{ key: key('a'), attempt: 0 }])
  })

  it('records what was decided, from what and when, once it is known how the run ended', async () => {
    const decision = { input: { replicas: 3 }, decision: { do: 'wait' } }
    const { clock, wake, decided } = await world(async (run) => {
      run.decided({ ...decision, at: clock.now() })
      await sleep(clock, 50)
      if (run.attempt === 0) throw raise.TestBusy('try later')
      return checkAgain(60_000, 'it is slow')
    })
    await wake('a')
    await clock.advance(49)
    expect(decided).toEqual([])
    await clock.advance(1)
    const record = { controller: 'things', key: key('a'), masked: [], ...decision }
    const failed = { outcome: 'retry', failure: { code: 'TestBusy' }, ms: 50, attempt: 0 }
    expect(decided).toMatchObject([{ ...record, at: 0, fence: 1, run: failed }])
    await clock.advance(2_000)
    const waits = { outcome: 'checkAgain', because: 'it is slow', ms: 50, attempt: 1 }
    expect(decided[1]).toMatchObject({ ...record, fence: 2, run: waits })
  })

  it('polls when no hint arrives', async () => {
    const clock = manualClock()
    const memory = new MemoryQueue({ clock, leaseMs: 30_000 })
    const queue = Object.assign(Object.create(memory) as Queue, {
      leaseMs: memory.leaseMs,
      wake: memory.wake.bind(memory),
      claim: memory.claim.bind(memory),
      renew: memory.renew.bind(memory),
      finish: memory.finish.bind(memory),
      onReady: () => () => {},
    })
    const { wake, ends } = await world(async () => settled(), { clock, queue, pollMs: 2_000 })
    await clock.advance(100)
    await wake('a')
    await clock.advance(1_000)
    expect(ends).toHaveLength(0)
    await clock.advance(1_000)
    expect(ends).toHaveLength(1)
  })
})

describe('sleep', () => {
  it('ends early with the reason of its signal', async () => {
    const clock = manualClock()
    const abort = new AbortController()
    const sleeping = sleep(clock, 1_000, abort.signal)
    abort.abort(new Error('enough'))
    await expect(sleeping).rejects.toThrow('enough')
  })
})

describe('waiting and stopping at once', () => {
  it('ends a run that throws Waiting as waiting, whatever its attempt', async () => {
    const w = await world(async () => {
      throw new Waiting(5_000, 'the target is locked')
    })
    await w.wake('a')
    await w.clock.advance(100)
    expect(w.ends).toMatchObject([{ outcome: 'checkAgain', because: 'the target is locked' }])
    await w.clock.advance(5_000)
    expect(w.ends).toHaveLength(2)
  })

  it('aborts runs without grace when it must stop at once, also while it already stops', async () => {
    const aborted: string[] = []
    const w = await world(
      ({ key: { id }, signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            aborted.push(id)
            reject(signal.reason as Error)
          })
        }),
    )
    await w.wake('a')
    await w.clock.advance(100)
    const stopped = w.loop.stop()
    await w.clock.advance(1_000)
    expect(aborted).toEqual([])
    void w.loop.stop({ atOnce: true })
    await w.clock.advance(0)
    expect(aborted).toEqual(['a'])
    await stopped
  })
})
