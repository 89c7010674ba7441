import { aborted, messageOf, startAll, systemClock, type Clock, type Service } from '../kernel/index.ts'
import type { Logger } from '../telemetry/index.ts'
import { stopSignal } from './shared/stop-signal.ts'

export interface RunOptions {
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  /** How long work under way may take to finish after a stop: CAELUS_SHUTDOWN_GRACE. */
  readonly graceMs: number
  /** Called when every service has started. */
  readonly onStarted?: () => void
  /** The last failure that a service reported: the reason why a start takes long. */
  readonly lastFailure?: () => string | undefined
  /** Aborted when the process must stop. @default the first SIGINT or SIGTERM */
  readonly signal?: AbortSignal
  /** @default systemClock */
  readonly clock?: Clock
}

/** A start that takes longer is logged, and again after each such period. */
const SLOW_START_MS = 5_000
/** A stop that takes longer is logged. */
const SLOW_STOP_MS = 1_000
/**
 * After the grace a service must abort its work; after this long on top of it the process no longer waits.
 */
export const STOP_MARGIN_MS = 10_000

/**
 * Starts the services in order and runs them until a stop signal arrives or one of them ends unexpectedly; then
 * stops them in reverse order. Rejects if a service failed to start, ended unexpectedly, or did not stop in
 * time.
 *
 * A stop signal is obeyed at any time, also while a service waits for something unreachable during its start.
 */
export async function runUntilStopped(services: readonly Service[], options: RunOptions): Promise<void> {
  const { log, graceMs, clock = systemClock, onStarted = () => {} } = options
  const signal = options.signal ?? stopSignal(() => log.info('Stopping'))
  const ended = new AbortController()
  const over = AbortSignal.any([signal, ended.signal])
  for (const { name, done } of services) {
    const onEnd = (error: unknown): void => {
      if (over.aborted) return
      log.error({ service: name, failure: messageOf(error) }, 'A service ended unexpectedly')
      ended.abort(error)
    }
    done.then(() => onEnd(new Error(`${name} ended unexpectedly`)), onEnd)
  }
  const stopping = boundedStop({ log, graceMs, clock })
  const starting = reportSlowStart(options)
  let isStarted = false
  try {
    const stop = await startAll(
      services.map((service) => stopping.bound(starting.watch(service))),
      over,
    )
    starting.end()
    isStarted = true
    onStarted()
    await aborted(over)
    await stop()
  } catch (error) {
    if (!over.aborted || isStarted) throw error
  } finally {
    starting.end()
  }
  if (ended.signal.aborted) throw ended.signal.reason
  const late = stopping.abandoned()
  if (late.length > 0) throw new Error(`failed to stop ${late.join(', ')} within ${graceMs + STOP_MARGIN_MS} ms`)
}

interface BoundedStop {
  /** The same service with a stop that always resolves in time. */
  bound(service: Service): Service
  /** Services that had not stopped when the time was over. */
  abandoned(): readonly string[]
}

/** One time limit for the stop of all services, counted from the first stop. */
export function boundedStop({
  log,
  graceMs,
  clock = systemClock,
}: Pick<RunOptions, 'log' | 'graceMs' | 'clock'>): BoundedStop {
  const late: string[] = []
  let since: number | undefined

  const stop = async (service: Service): Promise<void> => {
    since ??= clock.elapsed()
    const left = (ms: number): number => Math.max(since === undefined ? 0 : since + ms - clock.elapsed(), 0)
    const { name } = service
    log.debug({ service: name }, 'Stopping a service')
    const limit = Promise.withResolvers<'late'>()
    const cancels = [
      clock.after(SLOW_STOP_MS, () => log.info({ service: name }, 'Waiting for a service to stop')),
      clock.after(left(graceMs), () => void service.stop({ atOnce: true })),
      clock.after(left(graceMs + STOP_MARGIN_MS), () => limit.resolve('late')),
    ]
    const outcome = await Promise.race([service.stop(), limit.promise])
    for (const cancel of cancels) cancel()
    if (outcome !== 'late') return
    late.push(name)
    log.error({ service: name, graceMs }, 'A service did not stop in time')
  }
  return {
    bound: (service) => ({
      name: service.name,
      done: service.done,
      start: () => service.start(),
      stop: () => stop(service),
    }),
    abandoned: () => late,
  }
}

interface SlowStart {
  watch(service: Service): Service
  end(): void
}

function reportSlowStart({ log, lastFailure = () => undefined, clock = systemClock }: RunOptions): SlowStart {
  let current = ''
  const tell = (): void => {
    log.warn({ service: current, failure: lastFailure() }, 'Waiting for a service to start')
    cancel = clock.after(SLOW_START_MS, tell)
  }
  let cancel = clock.after(SLOW_START_MS, tell)
  return {
    watch: (service) => ({
      name: service.name,
      done: service.done,
      start() {
        current = service.name
        return service.start()
      },
      stop: (how) => service.stop(how),
    }),
    end: () => cancel(),
  }
}
