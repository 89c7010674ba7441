import { aborted, messageOf, startAll, systemClock, type Clock, type Service } from '../kernel/index.ts'
import type { Logger } from '../telemetry/index.ts'
import { stopSignal } from './shared/stop-signal.ts'

export interface RunOptions {
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  /** How long work under way may take to finish after a stop: CAELUS_SHUTDOWN_GRACE. */
  readonly graceMs: number
  /** The last failure that a service reported: the reason why a start takes long. */
  readonly lastFailure?: () => string | undefined
  /** Aborted when the process must stop. @default the first SIGINT or SIGTERM */
  readonly signal?: AbortSignal
  /** @default systemClock */
  readonly clock?: Clock
}

/** A process that is starting or has started. */
export interface Running {
  /** Aborted when the process must stop, for whatever reason. */
  readonly signal: AbortSignal
  /** Starts a service that is stopped at the end. Rejects if it cannot start, or if the process stops. */
  readonly begin: (service: Service) => Promise<void>
  /** Logs that the process waits for `what` as long as `work` takes. */
  readonly waitFor: <T>(what: string, work: Promise<T>) => Promise<T>
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
 * Runs a process: `open` starts its services, which run until a stop signal arrives or one of them ends unexpectedly; then
 * they are stopped in reverse order. Rejects if `open` failed, or if a service ended unexpectedly or did not stop in time.
 *
 * A stop signal is obeyed at any time, also while `open` or a service waits for something unreachable. `open` is then
 * no longer waited for.
 */
export async function runUntilStopped(
  open: (running: Running) => Promise<void>,
  { log, graceMs, lastFailure = () => undefined, clock = systemClock, ...options }: RunOptions,
): Promise<void> {
  const ended = new AbortController()
  const signal = AbortSignal.any([options.signal ?? stopSignal(() => log.info('Stopping')), ended.signal])
  const stopping = boundedStop({ log, graceMs, clock })
  const stops: (() => Promise<void>)[] = []

  const waitFor = async <T>(what: string, work: Promise<T>): Promise<T> => {
    let cancel = (): void => {}
    const schedule = (): void => {
      cancel = clock.after(SLOW_START_MS, () => {
        if (signal.aborted) return
        log.warn({ service: what, failure: lastFailure() }, 'Waiting for a service to start')
        schedule()
      })
    }
    schedule()
    try {
      return await work
    } finally {
      cancel()
    }
  }
  const begin = async (service: Service): Promise<void> => {
    const { name, done } = service
    const onEnd = (error: unknown): void => {
      if (signal.aborted) return
      log.error({ service: name, failure: messageOf(error) }, 'A service ended unexpectedly')
      ended.abort(error)
    }
    done.then(() => onEnd(new Error(`${name} ended unexpectedly`)), onEnd)
    const starting = startAll([stopping.bound(service)], signal)
    stops.push(async () => await (await starting.catch(() => undefined))?.())
    await waitFor(name, starting)
  }

  open({ signal, begin, waitFor }).catch((error: unknown) => {
    if (!signal.aborted) ended.abort(error)
  })
  await aborted(signal)
  for (const stop of stops.toReversed()) await stop()
  if (ended.signal.aborted) throw ended.signal.reason
  const late = stopping.abandoned()
  if (late.length > 0) throw new Error(`failed to stop ${late.join(', ')} within ${graceMs + STOP_MARGIN_MS} ms`)
}

/**
 * Starts the services of each list in their order, and the lists side by side: a list whose start waits for something does
 * not keep the others from starting.
 */
export async function beginSideBySide(lists: readonly (readonly Service[])[], begin: Running['begin']): Promise<void> {
  await Promise.all(
    lists.map(async (services) => {
      for (const service of services) await begin(service)
    }),
  )
}

interface BoundedStop {
  /** The same service with a stop that always resolves in time. */
  bound(service: Service): Service
  /** Services that had not stopped when the time was over. */
  abandoned(): readonly string[]
}

/** One time limit for the stop of all services, counted from the first stop. */
function boundedStop({ log, graceMs, clock }: Pick<RunOptions, 'log' | 'graceMs'> & { clock: Clock }): BoundedStop {
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
