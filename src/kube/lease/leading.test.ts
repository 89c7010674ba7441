import { describe, expect, test } from 'vitest'
import { aborted, createEmitter, failureOf, service, sleep, type Service } from '../../kernel/index.ts'
import type { LeaderEvents } from './election.ts'
import { ahead, stage } from './election-stage.ts'

describe('a leader', () => {
  test.each([
    ['a stopped process: both clocks went on', ahead(10_000, 10_000)],
    ['a suspended machine: the monotonic clock stood still', ahead(10_000, 0)],
    ['a wall clock that was set back', ahead(-3_600_000, 10_000)],
  ])('stops leading at the next check without a timer, after %s', async (_, jump) => {
    const { clock, candidate } = stage()
    const clocks = ahead(0)
    const a = candidate('a', { ahead: clocks })
    await a.start()
    await clock.advance(100)
    a.assertLeading()
    Object.assign(clocks, jump)
    expect(a.leading).toBe(false)
    expect(failureThrownBy(() => a.assertLeading())).toMatchObject({
      code: 'NotLeading',
      retryable: true,
      message: 'this process does not hold the lease default/boss: no renewal was confirmed for 10000 ms',
    })
    a.done.catch(() => {})
  })

  test('keeps the lead when a request is never answered, because it asks again in time', async () => {
    const { clock, log, candidate, stop } = stage()
    let isSilent = false
    const unreachable: number[] = []
    const emitter = createEmitter<LeaderEvents>()
    emitter.on('leader:lost', () => log.push('a lost the lead'))
    emitter.on('leader:unreachable', () => unreachable.push(clock.elapsed()))
    const a = candidate('a', {
      emitter,
      wire: (inner) => ({
        ...inner,
        async send(request) {
          if (!isSilent) return inner.send(request)
          isSilent = false
          return sleep(clock, 1e9, request.signal).then(() => inner.send(request))
        },
      }),
    })
    await a.start()
    await clock.advance(5_000)
    isSilent = true
    await clock.advance(60_000)
    expect(log).toEqual(['a works'])
    // A pause of at most 2.4 s before the renewal, and a quarter of the lease for its answer.
    expect(unreachable).toHaveLength(1)
    expect(unreachable[0]).toBeLessThanOrEqual(5_000 + 2_400 + 3_750)
    await stop(a)
  })

  test('counts from before it asked, however late the answer to its renewal is', async () => {
    const { clock, log, candidate, stop } = stage()
    let wire: 'good' | 'lateAnswer' | 'cut' = 'good'
    const [a, b] = [
      candidate('a', {
        stopsInMs: 4_000,
        wire: (inner) => ({
          ...inner,
          async send(request) {
            if (wire === 'cut') throw new Error('connection reset')
            const answer = await inner.send(request)
            if (wire === 'lateAnswer' && request.method === 'PUT') {
              wire = 'cut'
              await sleep(clock, 7_000, request.signal)
            }
            return answer
          },
        }),
      }),
      candidate('b'),
    ]
    await a.start()
    await b.start()
    await clock.advance(3_000)
    wire = 'lateAnswer'
    await clock.advance(60_000)
    expect(log).toEqual(['a works', 'a lost: expired', 'a rests', 'b works'])
    await stop(a, b)
  })

  test('does not begin a term whose acquisition was answered after the renew deadline', async () => {
    const { clock, log, terms, candidate, stop } = stage()
    const clocks = ahead(0)
    const a = candidate('a', {
      ahead: clocks,
      wire: (inner) => ({
        ...inner,
        async send(request) {
          const answer = await inner.send(request)
          if (request.method === 'POST') Object.assign(clocks, ahead(20_000, 20_000))
          return answer
        },
      }),
    })
    await a.start()
    await clock.advance(100)
    expect(terms).toEqual(['a 2'])
    expect(log).toEqual(['a works'])
    await stop(a)
  })

  test('gives every term a greater number, also when the same process leads again', async () => {
    const { clock, log, terms, candidate, stop } = stage()
    let cut = false
    const a = candidate('a', { faults: () => (cut ? { fault: 'lost' } : undefined) })
    await a.start()
    await clock.advance(1_000)
    cut = true
    await clock.advance(12_000)
    cut = false
    await clock.advance(5_000)
    expect(log).toEqual(['a works', 'a lost: expired', 'a rests', 'a works'])
    expect(terms).toEqual(['a 1', 'a 2'])
    await stop(a)
  })

  test.each([
    ['loses the lead', false],
    ['loses the lead during a regular stop', true],
  ])('stops its services at once when it %s', async (_, isStopping) => {
    const { clock, candidate } = stage()
    let cut = false
    const stopped: number[] = []
    const stubborn = (name: string): Service =>
      service(name, async (_signal, ready, atOnce) => {
        ready()
        await sleep(clock, 1e9, atOnce).catch(() => stopped.push(clock.elapsed()))
      })
    const a = candidate('a', {
      faults: () => (cut ? { fault: 'lost' } : undefined),
      random: () => 0.5,
      term: () => [stubborn('one'), stubborn('two')],
    })
    await a.start()
    await clock.advance(3_000)
    cut = true
    const stopping = isStopping ? a.stop() : undefined
    await clock.advance(15_000)
    expect(stopped).toEqual([12_000, 12_000])
    await stopping
    await a.stop()
    await a.done
  })

  test('stops within its grace when nothing is answered, and aborts the work of its services', async () => {
    const { clock, log, candidate } = stage()
    let isSilent = false
    const slow = service('slow', async (signal, ready, atOnce) => {
      ready()
      await aborted(signal)
      await aborted(atOnce)
      log.push('slow was aborted')
    })
    const a = candidate('a', {
      term: () => [slow],
      durationMs: 600_000,
      renewDeadlineMs: 300_000,
      wire: (inner) => ({
        ...inner,
        send: (request) =>
          isSilent ? sleep(clock, 1e9, request.signal).then(() => inner.send(request)) : inner.send(request),
      }),
    })
    await a.start()
    await clock.advance(1_000)
    isSilent = true
    let isStopped = false
    const stopped = a.stop().then(() => (isStopped = true))
    await clock.advance(20_000)
    expect(log).toEqual([])
    void a.stop({ atOnce: true })
    await clock.advance(1)
    expect(log).toEqual(['slow was aborted'])
    // One renewal under way, and the attempt to give the lease back.
    await clock.advance(2 * 150_000)
    expect(isStopped).toBe(true)
    await stopped
  })

  test('fails during a regular stop too when its services do not stop in time', async () => {
    const { clock, candidate } = stage()
    let cut = false
    const a = candidate('a', { faults: () => (cut ? { fault: 'lost' } : undefined), stopsInMs: 1e8 })
    const failed = expect(a.done).rejects.toMatchObject({
      cause: { message: expect.stringContaining('did not stop within 5000 ms') as string },
    })
    await a.start()
    await clock.advance(1_000)
    cut = true
    void a.stop()
    await clock.advance(20_000)
    await failed
  })

  test('does not start the remaining services of a term that is over', async () => {
    const { clock, candidate } = stage()
    let cut = false
    const started: string[] = []
    const slow = service('slow', async (signal, ready) => {
      await sleep(clock, 60_000, signal).catch(() => {})
      ready()
    })
    const next = service('next', async () => void started.push('next'))
    const a = candidate('a', { faults: () => (cut ? { fault: 'lost' } : undefined), term: () => [slow, next] })
    await a.start()
    cut = true
    await clock.advance(30_000)
    expect(started).toEqual([])
    await a.stop()
  })

  test('ends the election and frees the lease when its term cannot be built', async () => {
    const { clock, working, candidate, stop } = stage()
    let renewals = 0
    const a = candidate('a', {
      faults: ({ method }) => void (method === 'PUT' && renewals++),
      term() {
        throw new Error('no configuration')
      },
    })
    const failed = expect(a.done).rejects.toMatchObject({ cause: { cause: { message: 'no configuration' } } })
    const b = candidate('b')
    await a.start()
    await b.start()
    await clock.advance(30_000)
    await failed
    expect([...working]).toEqual(['b'])
    expect(renewals).toBe(1)
    expect(a.leading).toBe(false)
    await stop(b)
  })
})

function failureThrownBy(call: () => void): unknown {
  try {
    call()
    return undefined
  } catch (error) {
    return failureOf(error)
  }
}
