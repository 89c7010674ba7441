/** A task that runs until it is stopped: worker pool, drift scan, watch, HTTP server, node heartbeat. */
export interface Service {
  readonly name: string
  /** Resolves when ready to do its work; rejects if it never will be. */
  start(): Promise<void>
  /**
   * Resolves when nothing of it is left running. Harmless twice, harmless before start. `atOnce` aborts the work under way
   * instead of letting it finish; it also shortens a stop that has already begun.
   */
  stop(how?: { readonly atOnce?: boolean }): Promise<void>
  /** Settles when it has ended; rejects if it ended by itself. */
  readonly done: Promise<void>
}

/**
 * Makes a service out of one function that runs until its signal aborts.
 *
 * The function calls `ready` once it can do its work. If it returns or throws before the signal was aborted, it has ended
 * by itself: `done` rejects, and so does `start` if that was before `ready`. `atOnce` aborts when work under way must not finish.
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
      const reason = new Error(`${name} ended by itself`, error === undefined ? undefined : { cause: error })
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

/** Starts in order, stops in reverse. If the third fails to start, the first two are stopped. */
export async function startAll(services: readonly Service[]): Promise<() => Promise<void>> {
  const started: Service[] = []
  const stopAll = async (): Promise<void> => {
    for (const running of started.splice(0).toReversed()) await running.stop()
  }
  for (const next of services) {
    try {
      await next.start()
      started.push(next)
    } catch (error) {
      await next.stop()
      await stopAll()
      throw error
    }
  }
  return stopAll
}
