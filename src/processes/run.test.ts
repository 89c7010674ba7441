import { describe, expect, it } from 'vitest'
import { aborted, manualClock, service, until, type Service } from '../kernel/index.ts'
import { beginSideBySide, runUntilStopped, STOP_MARGIN_MS, type Running } from './run.ts'

const GRACE_MS = 20_000

interface Line {
  readonly level: string
  readonly message: string
  readonly service?: string
  readonly failure?: string
}

const startingAll =
  (services: readonly Service[]) =>
  async ({ begin }: Running): Promise<void> => {
    for (const one of services) await begin(one)
  }

function run(open: (running: Running) => Promise<void>, lastFailure?: () => string | undefined) {
  const clock = manualClock()
  const stop = new AbortController()
  const lines: Line[] = []
  const write = (level: string) => (facts: object, message: string) => void lines.push({ level, message, ...facts })
  const log = { debug: () => {}, info: write('info'), warn: write('warn'), error: write('error') } as never
  let outcome = 'running'
  let isStarted = false
  const opened = async (running: Running): Promise<void> => {
    await open(running)
    isStarted = true
  }
  runUntilStopped(opened, {
    log,
    graceMs: GRACE_MS,
    clock,
    signal: stop.signal,
    ...(lastFailure && { lastFailure }),
  }).then(
    () => (outcome = 'ended'),
    (error: Error) => (outcome = error.message),
  )
  return { clock, lines, stop: () => stop.abort(), outcome: () => outcome, isStarted: () => isStarted }
}

const noted = (name: string, log: string[]): Service =>
  service(name, async (signal, ready) => {
    log.push(`+${name}`)
    ready()
    await aborted(signal)
    log.push(`-${name}`)
  })

describe('beginSideBySide', () => {
  it('keeps the order of each list, and starts the others while one waits', async () => {
    const log: string[] = []
    const never = until('never', () => Promise.reject(new Error('not installed')), {
      everyMs: 1_000,
      clock: manualClock(),
    })
    const lists = [
      [never, noted('after', log)],
      [noted('a', log), noted('b', log)],
    ]
    const process = run(({ begin }) => beginSideBySide(lists, begin))
    await process.clock.advance(60_000)
    expect([process.isStarted(), log]).toEqual([false, ['+a', '+b']])
    process.stop()
    await process.clock.advance(0)
    expect([process.outcome(), log]).toEqual(['ended', ['+a', '+b', '-b', '-a']])
  })
})

describe('runUntilStopped', () => {
  it('runs until the stop signal, and stops in reverse order', async () => {
    const log: string[] = []
    const process = run(startingAll([noted('a', log), noted('b', log)]))
    await process.clock.advance(60_000)
    expect([process.outcome(), process.isStarted(), log]).toEqual(['running', true, ['+a', '+b']])
    process.stop()
    await process.clock.advance(0)
    expect([process.outcome(), log]).toEqual(['ended', ['+a', '+b', '-b', '-a']])
    expect(process.lines).toEqual([])
  })

  it('obeys the signal while a service waits for something unreachable, and logs what it waits for', async () => {
    const log: string[] = []
    const clock = manualClock()
    const unreachable = until('fence', () => Promise.reject(new Error('refused')), { everyMs: 5_000, clock })
    const process = run(startingAll([noted('a', log), unreachable, noted('never', log)]), () => 'connection refused')
    await process.clock.advance(12_000)
    const waiting = { level: 'warn', message: 'Waiting for a service to start', service: 'fence' }
    const failing = { ...waiting, failure: 'connection refused' }
    expect(process.lines).toEqual([failing, failing])
    process.stop()
    await process.clock.advance(0)
    expect([process.outcome(), process.isStarted(), log]).toEqual(['ended', false, ['+a', '-a']])
  })

  it('stops the others and fails when a service ends unexpectedly', async () => {
    const log: string[] = []
    const lost = Promise.withResolvers<void>()
    const election = service('election', async (_, ready) => {
      ready()
      await lost.promise
      throw new Error('another process may lead')
    })
    const process = run(startingAll([noted('a', log), election, noted('b', log)]))
    await process.clock.advance(1_000)
    lost.resolve()
    await process.clock.advance(0)
    expect([process.outcome(), log]).toEqual(['election ended unexpectedly', ['+a', '+b', '-b', '-a']])
    expect(process.lines).toEqual([
      {
        level: 'error',
        message: 'A service ended unexpectedly',
        service: 'election',
        failure: 'election ended unexpectedly: another process may lead',
      },
    ])
  })

  it('fails when an earlier service ends unexpectedly while a later one is still starting', async () => {
    const lost = Promise.withResolvers<void>()
    const early = service('early', async (_, ready) => {
      ready()
      await lost.promise
    })
    const process = run(startingAll([early, service('stuck', (signal) => aborted(signal))]))
    await process.clock.advance(1_000)
    lost.resolve()
    await process.clock.advance(0)
    expect(process.outcome()).toBe('early ended unexpectedly')
  })

  it('fails when a service cannot start', async () => {
    const log: string[] = []
    const process = run(startingAll([noted('a', log), service('port', () => Promise.reject(new Error('taken')))]))
    await process.clock.advance(0)
    expect([process.outcome(), log]).toEqual(['port ended unexpectedly', ['+a', '-a']])
  })

  it('aborts work when the grace is over, and gives up on a service that still does not stop', async () => {
    const log: string[] = []
    const slow = service('slow', async (signal, ready, atOnce) => {
      ready()
      await aborted(signal)
      await aborted(atOnce)
      log.push('aborted')
    })
    const hung = service('hung', async (_, ready) => {
      ready()
      await new Promise(() => {})
    })
    const process = run(startingAll([noted('a', log), hung, slow]))
    await process.clock.advance(0)
    process.stop()
    await process.clock.advance(GRACE_MS - 1)
    expect(log).toEqual(['+a'])
    await process.clock.advance(1)
    expect(log).toEqual(['+a', 'aborted'])
    await process.clock.advance(STOP_MARGIN_MS - 1)
    expect(process.outcome()).toBe('running')
    await process.clock.advance(1)
    expect(process.outcome()).toBe(`failed to stop hung within ${GRACE_MS + STOP_MARGIN_MS} ms`)
    expect(log).toEqual(['+a', 'aborted', '-a'])
    expect(process.lines.map(({ message, service: name }) => `${name}: ${message}`)).toEqual([
      'slow: Waiting for a service to stop',
      'hung: Waiting for a service to stop',
      'hung: A service did not stop in time',
    ])
  })

  it('obeys the signal before the first service, and logs what it waits for', async () => {
    const log: string[] = []
    const process = run(async ({ begin, waitFor }) => {
      await begin(noted('a', log))
      await waitFor('database', new Promise(() => {}))
    })
    await process.clock.advance(5_000)
    expect(process.lines).toEqual([{ level: 'warn', message: 'Waiting for a service to start', service: 'database' }])
    process.stop()
    await process.clock.advance(0)
    expect([process.outcome(), process.isStarted(), log]).toEqual(['ended', false, ['+a', '-a']])
    await process.clock.advance(60_000)
    expect(process.lines).toHaveLength(1)
  })

  it('waits until a service that was starting has stopped', async () => {
    const log: string[] = []
    const started = Promise.withResolvers<void>()
    const server = service('server', async (signal) => {
      await started.promise
      await aborted(signal)
      log.push('-server')
    })
    const process = run(startingAll([noted('a', log), server]))
    await process.clock.advance(1_000)
    process.stop()
    await process.clock.advance(1_000)
    expect([process.outcome(), log]).toEqual(['running', ['+a']])
    started.resolve()
    await process.clock.advance(0)
    expect([process.outcome(), log]).toEqual(['ended', ['+a', '-server', '-a']])
  })

  it('starts nothing after the signal, and stops what was started', async () => {
    const log: string[] = []
    const answer = Promise.withResolvers<void>()
    const process = run(async ({ begin }) => {
      await begin(noted('a', log))
      await answer.promise
      await begin(noted('late', log))
    })
    await process.clock.advance(0)
    process.stop()
    answer.resolve()
    await process.clock.advance(0)
    expect([process.outcome(), log]).toEqual(['ended', ['+a', '-a']])
  })

  it('fails when it cannot open', async () => {
    const log: string[] = []
    const process = run(async ({ begin }) => {
      await begin(noted('a', log))
      throw new Error('no such database')
    })
    await process.clock.advance(0)
    expect([process.outcome(), log]).toEqual(['no such database', ['+a', '-a']])
  })
})
