import { sleep, systemClock, type Clock } from './clock.ts'

/** A task that runs until it is stopped: worker pool, drift scan, watch, HTTP server, node heartbeat. */
export interface Service {
  readonly name: string
  /** Resolves when ready to do its work; rejects if it never will be. */
  start(): Promise<void>
  /**
   * Resolves when nothing of it is left running. Harmless twice, harmless before start. `atOnce` aborts the
   * work under way instead of letting it finish; it also shortens a stop that has already begun.
   */
  stop(how?: { readonly atOnce?: boolean }): Promise<void>
  /** Settles when it has ended; rejects if it ended unexpectedly. */
  readonly done: Promise<void>
}

/**
 * Makes a service out of one function that runs until its signal aborts.
 *
 * The function calls `ready` once it can do its work. If it returns or throws before the signal was aborted,
 * it has ended unexpectedly: `done` rejects, and so does `start` if that was before `ready`. `atOnce` aborts
 * when work under way must not finish.
 */
export function service(
  name: string,
  run: (signal: AbortSignal, ready: () => void, atOnce: AbortSignal) => Promise<void>,
): Service {
  const ended = Promise.withResolvers<void>()
  ended.promise.catch(() => {})
  const controller = new AbortController()
  const atOnce = new AbortController()
  let started: Promise<void> | undefined

  const begin = (): Promise<void> => {
    const ready = Promise.withResolvers<void>()
    const finish = (error?: unknown): void => {
      if (controller.signal.aborted) return ended.resolve()
      const reason = new Error(`${name} ended unexpectedly`, error === undefined ? undefined : { cause: error })
      ready.reject(reason)
      ended.reject(reason)
    }
    run(controller.signal, () => ready.resolve(), atOnce.signal).then(
      () => finish(),
      (error: unknown) => finish(error),
    )
    ended.promise.then(ready.resolve, () => {})
    return ready.promise
  }

  return {
    name,
    done: ended.promise,
    start: () => (started ??= begin()),
    async stop(how) {
      if (how?.atOnce) atOnce.abort(new Error(`${name} must stop at once`))
      controller.abort(new Error(`${name} is stopping`))
      if (started === undefined) ended.resolve()
      await ended.promise.catch(() => {})
    },
  }
}

/** Resolves when the signal is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Waits for the work, unless the signal aborts before. The work then goes on, and its outcome is ignored. */
export async function unlessAborted(work: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  const cut = Promise.withResolvers<void>()
  const onAbort = (): void => cut.resolve()
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    await Promise.race([work(), cut.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/**
 * Calls `end` when it is stopped, and waits for it unless it has to stop at once. Started first, it closes what all later
 * services use.
 */
export const atEnd = (name: string, end: () => unknown): Service =>
  service(name, async (signal, ready, atOnce) => {
    ready()
    await aborted(signal)
    await unlessAborted(async () => end(), atOnce)
  })

export interface UntilOptions {
  /** From the end of one attempt to the beginning of the next. */
  readonly everyMs: number
  /** @default systemClock */
  readonly clock?: Clock
  /** Called with the failure of each attempt after which another one follows. */
  readonly onError?: (error: unknown) => void
  /** Whether another attempt would fail in the same way. The service then ends with that failure. @default never */
  readonly isFinal?: (error: unknown) => boolean
}

/** Repeats `tryOnce` until it succeeds once. `start` resolves then, and not before. */
export const until = (
  name: string,
  tryOnce: (signal: AbortSignal) => Promise<unknown>,
  { everyMs, clock = systemClock, onError = () => {}, isFinal = () => false }: UntilOptions,
): Service =>
  service(name, async (signal, ready) => {
    const succeeds = (): Promise<boolean> =>
      tryOnce(signal).then(
        () => true,
        (error: unknown) => {
          if (signal.aborted) return false
          if (isFinal(error)) throw error
          onError(error)
          return false
        },
      )
    while (!(await succeeds())) {
      await sleep(clock, everyMs, signal).catch(() => {})
      if (signal.aborted) return
    }
    ready()
    await aborted(signal)
  })

export interface EveryOptions {
  /** @default systemClock */
  readonly clock?: Clock
  /** Called when a run fails. The next one follows as if it had not. */
  readonly onError?: (error: unknown) => void
  /** Whether `ms` pass before the first run. @default false: the first run begins at the start */
  readonly waitsFirst?: boolean
  /** Whether `start` resolves after the first run instead of before it. @default false */
  readonly readyAfterFirst?: boolean
  /** Starts the next run early: subscribes to a source of changes, and returns how to unsubscribe. */
  readonly wakeOn?: (wake: () => void) => () => void
  /** Pause before a run that was woken, so that changes that come together cause one run. @default 0 */
  readonly togetherMs?: number
}

/**
 * Runs `run` again and again, with `ms` from the end of one run to the beginning of the next. A run under way is waited
 * for at the end, unless the service has to stop at once.
 */
export const every = (
  name: string,
  ms: number,
  run: (signal: AbortSignal) => unknown,
  options: EveryOptions = {},
): Service =>
  service(name, async (signal, ready, atOnce) => {
    const { clock = systemClock, onError = () => {}, wakeOn = () => () => {}, togetherMs = 0 } = options
    let woken = new AbortController()
    const stopListening = wakeOn(() => woken.abort())
    const pause = async (): Promise<void> => {
      await sleep(clock, ms, AbortSignal.any([signal, woken.signal])).catch(() => {})
      if (woken.signal.aborted && togetherMs > 0) await sleep(clock, togetherMs, signal).catch(() => {})
    }
    try {
      if (options.readyAfterFirst !== true) ready()
      if (options.waitsFirst === true) await pause()
      while (!signal.aborted) {
        woken = new AbortController()
        try {
          await unlessAborted(async () => run(signal), atOnce)
        } catch (error) {
          if (!signal.aborted) onError(error)
        }
        ready()
        await pause()
      }
    } finally {
      stopListening()
    }
  })

/**
 * Starts in order; the result stops in reverse. If one fails to start, those before it are stopped. An abort
 * of `signal` does the same, even while a service is still starting; the promise then rejects with the
 * signal's reason.
 */
export async function startAll(services: readonly Service[], signal?: AbortSignal): Promise<() => Promise<void>> {
  const begun: Service[] = []
  const stopAll = async (): Promise<void> => {
    for (const running of begun.splice(0).toReversed()) await running.stop()
  }
  const interrupted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  interrupted.catch(() => {})
  try {
    for (const next of services) {
      signal?.throwIfAborted()
      begun.push(next)
      const started = next.start()
      started.catch(() => {})
      await Promise.race([started, interrupted])
    }
  } catch (error) {
    await stopAll()
    throw error
  }
  return stopAll
}
