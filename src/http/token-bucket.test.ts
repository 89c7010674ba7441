import { describe, expect, test } from 'vitest'
import { manualClock } from '../kernel/index.ts'
import { problemOf } from './errors.ts'
import { HostBuckets, TokenBucket } from './token-bucket.ts'

/** Starts `count` requests at once and notes the time at which each may begin. */
function bucket(options: { perSecond: number; burst: number; maxWaitMs?: number }) {
  const clock = manualClock()
  const tokens = new TokenBucket({ maxWaitMs: 60_000, ...options, clock })
  const starts: [number, number][] = []
  const take = (nth: number, signal?: AbortSignal) =>
    tokens.take(signal).then(() => void starts.push([nth, clock.now()]))
  return { clock, tokens, starts, take }
}

describe('a token bucket', () => {
  test('lets a burst begin at once and the rest at the rate, in order', async () => {
    const { clock, starts, take } = bucket({ perSecond: 10, burst: 2 })
    for (const nth of [1, 2, 3, 4]) void take(nth)
    await clock.advance(1_000)
    expect(starts).toEqual([
      [1, 0],
      [2, 0],
      [3, 100],
      [4, 200],
    ])
  })

  test('fills up during a pause, and never beyond the burst', async () => {
    const { clock, starts, take } = bucket({ perSecond: 10, burst: 2 })
    await clock.advance(3_600_000)
    for (const nth of [1, 2, 3]) void take(nth)
    await clock.advance(1_000)
    expect(starts.map(([, at]) => at - 3_600_000)).toEqual([0, 0, 100])
  })

  test('never exceeds rate and burst in any window, whatever the arrivals', async () => {
    const { clock, starts, take } = bucket({ perSecond: 7, burst: 3, maxWaitMs: Infinity })
    for (let nth = 0; nth < 200; nth++) {
      void take(nth)
      if (nth % 5 === 0) await clock.advance((nth * 37) % 400)
    }
    await clock.advance(60_000)
    expect(starts).toHaveLength(200)
    const times = starts.map(([, at]) => at)
    for (let from = 0; from < times.length; from++)
      for (let to = from; to < times.length; to++)
        expect(to - from + 1).toBeLessThanOrEqual(3 + 7 * (((times[to] ?? 0) - (times[from] ?? 0)) / 1000) + 1e-6)
  })

  test('refuses at once a request that would wait too long', async () => {
    const { clock, starts, take } = bucket({ perSecond: 1, burst: 1, maxWaitMs: 2_000 })
    for (const nth of [1, 2, 3]) void take(nth)
    const refused: unknown = await take(4).catch((error: unknown) => error)
    expect(problemOf(refused)).toBe('busy')
    expect(String(refused)).toContain('would wait 3000 ms, and 2000 ms are allowed')
    await clock.advance(10_000)
    expect(starts.map(([nth]) => nth)).toEqual([1, 2, 3])
  })

  test('gives the turn of an aborted request to the next one', async () => {
    const { clock, starts, take } = bucket({ perSecond: 1, burst: 1 })
    const abort = new AbortController()
    void take(1)
    const aborted = take(2, abort.signal).catch((error: unknown) => error)
    void take(3)
    await clock.advance(500)
    abort.abort(new Error('stopping'))
    expect(await aborted).toMatchObject({ message: 'stopping' })
    await clock.advance(10_000)
    expect(starts).toEqual([
      [1, 0],
      [3, 1_000],
    ])
  })

  test('takes nothing for a signal that is aborted already', async () => {
    const { tokens, take, clock } = bucket({ perSecond: 1, burst: 1 })
    await expect(take(1, AbortSignal.abort(new Error('stopping')))).rejects.toThrow('stopping')
    await take(2)
    expect(tokens.isIdle).toBe(false)
    await clock.advance(1_000)
    expect(tokens.isIdle).toBe(true)
  })
})

describe('buckets of hosts', () => {
  test('do not slow each other down', async () => {
    const clock = manualClock()
    const buckets = new HostBuckets({ perSecond: 1, burst: 1, maxWaitMs: 10, clock })
    await buckets.take('a')
    await expect(buckets.take('a')).rejects.toThrow('would wait')
    await buckets.take('b')
  })

  test('are removed when idle, so that their number has a limit', async () => {
    const clock = manualClock()
    const buckets = new HostBuckets({ perSecond: 1, burst: 1, maxWaitMs: 10, clock })
    for (let nth = 0; nth < 2_000; nth++) {
      await buckets.take(`host-${nth}`)
      if (nth % 100 === 0) await clock.advance(1_000)
    }
    expect(buckets.size).toBeLessThan(500)
  })
})
