import { describe, expect, test } from 'vitest'
import { manualClock, sleep, type Clock } from './clock.ts'
import { failureOf } from './errors.ts'
import { holding } from './holding.ts'
import type { LockAnswer, TargetLocks } from './locks.ts'
import { Waiting } from './outcome.ts'

type Renewal = () => Promise<boolean>

interface LockServer {
  readonly locks: TargetLocks
  readonly log: string[]
  readonly held: Set<string>
}

/** `taken` names the targets of another holder, `broken` those that cannot be asked for. */
function lockServer(
  renewal: Renewal = async () => true,
  { taken = [], broken = [] }: { readonly taken?: readonly string[]; readonly broken?: readonly string[] } = {},
): LockServer {
  const [log, held]: [string[], Set<string>] = [[], new Set()]
  let fence = 0
  const locks: TargetLocks = {
    holderOf: async () => undefined,
    async acquire(target, { holder }): Promise<LockAnswer> {
      if (broken.includes(target)) throw new Error('the API server is away')
      if (taken.includes(target)) return { held: false, by: 'actions/7', until: 9_000 }
      log.push(`${holder} takes ${target}`)
      held.add(target)
      const release = async () => void (held.delete(target), log.push(`${holder} releases ${target}`))
      return { held: true, lock: { target, fence: ++fence, renew: renewal, release } }
    },
  }
  return { locks, log, held }
}

const optionsFor = ({ locks }: LockServer, clock: Clock, signal = new AbortController().signal) => ({
  locks,
  clock,
  holder: 'apps/1',
  signal,
  ttlMs: 30_000,
})

/** Holds `a` until its signal aborts. Answers with the time of that, in ms. */
async function abortedAt(server: LockServer, clock: ReturnType<typeof manualClock>, withinMs: number) {
  let at: number | undefined
  const over = new AbortController()
  const work = holding(optionsFor(server, clock), ['a'], async (signal) => {
    signal.addEventListener('abort', () => (at = clock.now()))
    await sleep(clock, 1e9, AbortSignal.any([signal, over.signal]))
  }).catch((error: unknown) => failureOf(error))
  await clock.advance(withinMs)
  over.abort(new Error('the test is over'))
  await clock.advance(10_000)
  return { at, failure: await work }
}

describe('taking the locks', () => {
  test('takes every target once in sorted order, gives their fences to the work, and releases them afterwards', async () => {
    const server = lockServer()
    const during = await holding(optionsFor(server, manualClock()), ['b', 'a', 'b'], async (_, { fences }) => [
      [...server.held],
      [...fences],
    ])
    expect(during).toEqual([
      ['a', 'b'],
      [
        ['a', 1],
        ['b', 2],
      ],
    ])
    expect(server.log.slice(0, 2)).toEqual(['apps/1 takes a', 'apps/1 takes b'])
    expect([...server.held]).toEqual([])
  })

  test('waits without starting the work when another holder has a target, and keeps none', async () => {
    const server = lockServer(undefined, { taken: ['b'] })
    const began = () => Promise.reject(new Error('the work began'))
    const error: unknown = await holding(optionsFor(server, manualClock(7_000)), ['c', 'b', 'a'], began).catch(
      (cause: unknown) => cause,
    )
    expect(error).toBeInstanceOf(Waiting)
    expect(error).toMatchObject({ message: 'b is held by actions/7 until 1970-01-01T00:00:09.000Z', afterMs: 2_000 })
    expect(server.log).toEqual(['apps/1 takes a', 'apps/1 releases a'])
  })

  test('releases what it got when one target cannot be asked for', async () => {
    const server = lockServer(undefined, { broken: ['b'] })
    await expect(holding(optionsFor(server, manualClock()), ['a', 'b'], async () => {})).rejects.toThrow('is away')
    expect([...server.held]).toEqual([])
  })

  test('does not start the work when a lock may have expired while the others were taken', async () => {
    const clock = manualClock()
    const server = lockServer(() => new Promise(() => {}))
    const slow: TargetLocks = {
      ...server.locks,
      async acquire(target, request) {
        if (target === 'b') await sleep(clock, 31_000)
        return server.locks.acquire(target, request)
      },
    }
    const work = holding({ ...optionsFor(server, clock), locks: slow }, ['a', 'b'], () =>
      Promise.reject(new Error('the work began')),
    ).catch(failureOf)
    await clock.advance(40_000)
    expect(await work).toMatchObject({ code: 'TargetLockLost' })
    expect([...server.held]).toEqual([])
  })
})

describe('keeping the locks', () => {
  test('continues as long as renewals are confirmed', async () => {
    const clock = manualClock()
    expect((await abortedAt(lockServer(), clock, 600_000)).at).toBeUndefined()
  })

  test('aborts the work at the renewal that finds the lock with another holder', async () => {
    const clock = manualClock()
    const { at, failure } = await abortedAt(
      lockServer(async () => false),
      clock,
      60_000,
    )
    expect(at).toBe(10_000)
    expect(failure).toMatchObject({ code: 'TargetLockLost', retryable: true, message: expect.stringContaining('on a') })
  })

  test.each<[string, Renewal]>([
    ['fail', () => Promise.reject(new Error('403'))],
    ['are not answered', () => new Promise(() => {})],
  ])('aborts the work when the TTL has passed since the last confirmation and renewals %s', async (_, renewal) => {
    const clock = manualClock()
    const confirmed = 2
    let sent = 0
    const { at } = await abortedAt(
      lockServer(() => (++sent <= confirmed ? Promise.resolve(true) : renewal())),
      clock,
      600_000,
    )
    expect(at).toBe(confirmed * 10_000 + 30_000)
  })

  test('counts from before a renewal was sent, however late its answer is', async () => {
    const clock = manualClock()
    let sent = 0
    const { at } = await abortedAt(
      lockServer(async () => {
        if (++sent > 1) throw new Error('403')
        await sleep(clock, 9_000)
        return true
      }),
      clock,
      600_000,
    )
    expect(at).toBe(40_000)
  })

  test('counts from before the lock was asked for, however late that answer is', async () => {
    const clock = manualClock()
    const server = lockServer(() => Promise.reject(new Error('403')))
    const late: TargetLocks = {
      ...server.locks,
      async acquire(target, request) {
        await sleep(clock, 9_000)
        return server.locks.acquire(target, request)
      },
    }
    const { at } = await abortedAt({ ...server, locks: late }, clock, 100_000)
    expect(at).toBe(30_000)
  })

  test.each<[string, Renewal, number | undefined]>([
    ['is renewed at once, and kept', async () => true, undefined],
    ['is lost when it expires, not at the next beat', () => Promise.reject(new Error('403')), 35_000],
  ])('a lock whose acquisition was answered late %s', async (_, renewal, lostAt) => {
    const clock = manualClock()
    const [prompt, late] = [lockServer(), lockServer(renewal)]
    const locks: TargetLocks = {
      ...prompt.locks,
      async acquire(target, request) {
        await sleep(clock, target === 'a' ? 5_000 : 26_000)
        return (target === 'a' ? prompt : late).locks.acquire(target, request)
      },
    }
    const over = new AbortController()
    let at: number | undefined
    const work = holding({ ...optionsFor(prompt, clock), locks }, ['a', 'b'], async (signal) => {
      signal.addEventListener('abort', () => (at = clock.now()))
      await sleep(clock, 1e9, AbortSignal.any([signal, over.signal]))
    }).catch(() => {})
    await clock.advance(100_000)
    expect(at).toBe(lostAt)
    over.abort(new Error('the test is over'))
    await work
  })

  test('counts by the clock that ran faster: a wall clock that is set back prolongs nothing', async () => {
    const clock = manualClock()
    let stepMs = 0
    const stepped: Clock = { ...clock, now: () => clock.now() + stepMs, elapsed: () => clock.elapsed() }
    const server = lockServer(() => Promise.reject(new Error('403')))
    let at: number | undefined
    const work = holding(optionsFor(server, stepped), ['a'], async (signal) => {
      stepMs = -3_600_000
      signal.addEventListener('abort', () => (at = clock.elapsed()))
      await sleep(clock, 100_000, signal)
    }).catch(() => {})
    await clock.advance(110_000)
    await work
    expect(at).toBe(30_000)
  })

  test.each([
    ['a stopped process: both clocks went on', 30_000, 30_000],
    ['a suspended machine: the monotonic clock stood still', 30_000, 0],
    ['a wall clock that was set back', -3_600_000, 30_000],
  ])('refuses the next write before any timer fires, after %s', async (_, wallMs, monotonicMs) => {
    const clock = manualClock()
    const jump = { wallMs: 0, monotonicMs: 0 }
    const own: Clock = {
      now: () => clock.now() + jump.wallMs,
      elapsed: () => clock.elapsed() + jump.monotonicMs,
      after: (ms, fn) => clock.after(ms, fn),
    }
    const work = holding(optionsFor(lockServer(), own), ['a'], async (signal, { assertHeld }) => {
      assertHeld()
      Object.assign(jump, { wallMs, monotonicMs })
      expect(signal.aborted).toBe(false)
      assertHeld()
    })
    await expect(work).rejects.toThrow('the lock on a was lost: no renewal was confirmed for 30000 ms')
  })

  test("aborts the work with the run's signal", async () => {
    const [run, clock] = [new AbortController(), manualClock()]
    const server = lockServer()
    const work = holding(optionsFor(server, clock, run.signal), ['a'], (signal) => sleep(clock, 1e9, signal))
    await clock.advance(1_000)
    run.abort(new Error('the lease on the key was lost'))
    await expect(work).rejects.toThrow('the lease on the key was lost')
    expect([...server.held]).toEqual([])
  })

  test('leaves a lock to expire when its release is not answered', async () => {
    const clock = manualClock()
    const { locks } = lockServer()
    const silent: TargetLocks = {
      ...locks,
      async acquire(target, request) {
        const answer = await locks.acquire(target, request)
        return answer.held ? { held: true, lock: { ...answer.lock, release: () => new Promise(() => {}) } } : answer
      },
    }
    const work = holding({ ...optionsFor(lockServer(), clock), locks: silent }, ['a'], async () => 'done')
    await clock.advance(2_000)
    expect(await work).toBe('done')
  })
})
