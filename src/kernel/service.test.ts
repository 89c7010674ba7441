import { describe, expect, it } from 'vitest'
import { manualClock } from './clock.ts'
import { aborted, atEnd, every, service, startAll, until } from './service.ts'

/** A service that records when it starts and stops. */
const noted = (name: string, log: string[]) =>
  service(name, async (signal, ready) => {
    log.push(`+${name}`)
    ready()
    await aborted(signal)
    log.push(`-${name}`)
  })

/** A service that never becomes ready. */
const stuck = (log: string[]) =>
  service('stuck', async (signal) => {
    log.push('+stuck')
    await aborted(signal)
    log.push('-stuck')
  })

describe('service', () => {
  it('is harmless to stop twice and before it started', async () => {
    const log: string[] = []
    const one = noted('one', log)
    await one.stop()
    await one.stop()
    await one.done
    expect(log).toEqual([])
  })

  it('rejects start when it ends before it is ready, and done when it ends unexpectedly later', async () => {
    const stillborn = service('stillborn', async () => {
      throw new Error('no port')
    })
    await expect(stillborn.start()).rejects.toThrow('stillborn ended unexpectedly')
    const shortLived = service('short-lived', async (_signal, ready) => ready())
    await shortLived.start()
    await expect(shortLived.done).rejects.toThrow('short-lived ended unexpectedly')
  })
})

describe('atEnd', () => {
  it('runs its function after everything that was started later has stopped', async () => {
    const log: string[] = []
    const stop = await startAll([atEnd('close', () => log.push('close')), noted('a', log)])
    expect(log).toEqual(['+a'])
    await stop()
    expect(log).toEqual(['+a', '-a', 'close'])
  })

  it('ends in good order when its function fails', async () => {
    const failing = atEnd('flush', () => Promise.reject(new Error('unreachable')))
    await failing.start()
    await failing.stop()
    await expect(failing.done).resolves.toBeUndefined()
  })

  it('does not wait for what never ends when it has to stop at once', async () => {
    const silent = atEnd('close', () => new Promise(() => {}))
    await silent.start()
    let isStopped = false
    const stopped = silent.stop().then(() => (isStopped = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(isStopped).toBe(false)
    await silent.stop({ atOnce: true })
    await stopped
  })
})

describe('until', () => {
  it('repeats until it succeeds, reports each failure, and is ready then', async () => {
    const clock = manualClock()
    const [failures, attempts]: [string[], number[]] = [[], []]
    let isReady = false
    const waiting = until(
      'home',
      async () => {
        attempts.push(clock.now())
        if (attempts.length < 3) throw new Error(`attempt ${attempts.length}`)
      },
      { everyMs: 100, clock, onError: (error) => failures.push((error as Error).message) },
    )
    void waiting.start().then(() => (isReady = true))
    await clock.advance(199)
    expect([attempts, isReady]).toEqual([[0, 100], false])
    await clock.advance(1)
    expect([attempts, failures, isReady]).toEqual([[0, 100, 200], ['attempt 1', 'attempt 2'], true])
    await clock.advance(1_000)
    expect(attempts).toHaveLength(3)
    await waiting.stop()
    await waiting.done
  })

  it('ends with a failure that is final, without another attempt', async () => {
    const clock = manualClock()
    const failures: string[] = []
    let attempts = 0
    const waiting = until('home', () => Promise.reject(new Error(`attempt ${(attempts += 1)}`)), {
      everyMs: 100,
      clock,
      onError: (error) => failures.push((error as Error).message),
      isFinal: () => attempts === 2,
    })
    const started = expect(waiting.start()).rejects.toMatchObject({ cause: { message: 'attempt 2' } })
    await clock.advance(1_000)
    await started
    expect([attempts, failures]).toEqual([2, ['attempt 1']])
  })

  it('stops during an attempt, and reports nothing then', async () => {
    const failures: unknown[] = []
    const waiting = until('home', (signal) => aborted(signal).then(() => Promise.reject(new Error('cut'))), {
      everyMs: 100,
      clock: manualClock(),
      onError: (error) => failures.push(error),
    })
    const started = waiting.start()
    await waiting.stop()
    await started
    expect(failures).toEqual([])
  })
})

describe('every', () => {
  it('does not wait for a run that never ends when it has to stop at once', async () => {
    const scan = every('scan', 1_000, () => new Promise(() => {}), { clock: manualClock() })
    await scan.start()
    let isStopped = false
    const stopped = scan.stop().then(() => (isStopped = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(isStopped).toBe(false)
    await scan.stop({ atOnce: true })
    await stopped
  })

  it('runs at the start and from the end of each run on, and survives failures', async () => {
    const clock = manualClock()
    const [runs, failures]: [number[], unknown[]] = [[], []]
    const scan = every(
      'scan',
      100,
      () => {
        runs.push(clock.now())
        if (runs.length === 2) throw new Error('no answer')
      },
      { clock, onError: (error) => failures.push(error) },
    )
    await scan.start()
    await clock.advance(250)
    expect([runs, failures]).toEqual([[0, 100, 200], [new Error('no answer')]])
    await scan.stop()
    await clock.advance(1_000)
    expect(runs).toHaveLength(3)
  })

  it('can wait before the first run', async () => {
    const clock = manualClock()
    const runs: number[] = []
    const scan = every('scan', 100, () => runs.push(clock.now()), { clock, waitsFirst: true })
    await scan.start()
    await clock.advance(150)
    expect(runs).toEqual([100])
    await scan.stop()
    await clock.advance(1_000)
    expect(runs).toEqual([100])
  })

  it('can be ready only after the first run', async () => {
    const clock = manualClock()
    const first = Promise.withResolvers<void>()
    const report = every('report', 100, () => first.promise, { clock, readyAfterFirst: true })
    let isReady = false
    const started = report.start().then(() => (isReady = true))
    await clock.advance(50)
    expect(isReady).toBe(false)
    first.resolve()
    await started
    await report.stop()
  })

  it('runs early when woken, once for changes that come together, also during a run', async () => {
    const clock = manualClock()
    const runs: number[] = []
    let wake = (): void => {}
    let isListening = false
    const report = every('report', 1_000, () => runs.push(clock.now()), {
      clock,
      togetherMs: 20,
      wakeOn(change) {
        wake = change
        isListening = true
        return () => (isListening = false)
      },
    })
    await report.start()
    await clock.advance(100)
    wake()
    await clock.advance(10)
    wake()
    await clock.advance(500)
    expect(runs).toEqual([0, 120])
    await report.stop()
    expect(isListening).toBe(false)
  })

  it('does not lose a change that comes during a run', async () => {
    const clock = manualClock()
    const runs: number[] = []
    const held = Promise.withResolvers<void>()
    let wake = (): void => {}
    const report = every(
      'report',
      1_000,
      async () => {
        runs.push(clock.now())
        await held.promise
      },
      { clock, wakeOn: (change) => ((wake = change), () => {}) },
    )
    await report.start()
    await clock.advance(10)
    wake()
    held.resolve()
    await clock.advance(10)
    expect(runs).toEqual([0, 10])
    await report.stop()
  })
})

describe('startAll', () => {
  it('starts in order and stops in reverse', async () => {
    const log: string[] = []
    const stop = await startAll([noted('a', log), noted('b', log)])
    await stop()
    expect(log).toEqual(['+a', '+b', '-b', '-a'])
  })

  it('stops what it started when a later one fails', async () => {
    const log: string[] = []
    const failing = service('failing', async () => {
      throw new Error('taken')
    })
    await expect(startAll([noted('a', log), noted('b', log), failing])).rejects.toThrow('failing ended unexpectedly')
    expect(log).toEqual(['+a', '+b', '-b', '-a'])
  })

  it('stops what it started when it is aborted while a service never becomes ready', async () => {
    const log: string[] = []
    const abort = new AbortController()
    const starting = startAll([noted('a', log), stuck(log), noted('never', log)], abort.signal)
    await expect.poll(() => log).toEqual(['+a', '+stuck'])
    abort.abort(new Error('stopped by SIGTERM'))
    await expect(starting).rejects.toThrow('stopped by SIGTERM')
    expect(log).toEqual(['+a', '+stuck', '-stuck', '-a'])
  })

  it('starts nothing when it is aborted before', async () => {
    const log: string[] = []
    const reason = new Error('stopped by SIGTERM')
    await expect(startAll([noted('a', log)], AbortSignal.abort(reason))).rejects.toThrow(reason)
    expect(log).toEqual([])
  })
})
