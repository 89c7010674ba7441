import { elapsedSince, instantOf, type Clock } from '../../kernel/index.ts'

/** How a connection ended. */
type End =
  | { readonly by: 'server' }
  | { readonly by: 'silence' }
  | { readonly by: 'failure'; readonly error: unknown }
  /** The watch closed it: it stops, or `take` returned false. */
  | { readonly by: 'us' }

export interface ConnectionSpec<E> {
  readonly open: (signal: AbortSignal) => AsyncIterable<E>
  /** Called for each event; false ends the connection. */
  readonly take: (event: E) => boolean
  /** The longest time without an event. Called after each event, because it depends on the state of the watch. */
  readonly idleMs: () => number
  readonly clock: Clock
  readonly signal: AbortSignal
}

export interface Connection {
  readonly end: Promise<End>
  /** Settles when the stream has ended too. A dead stream may never end. */
  readonly released: Promise<void>
  hangUp(): void
}

/**
 * Reads a stream until it ends, fails, falls silent or is closed.
 * A stream that ignores its abort signal is abandoned. One timer checks the time of the last event, so that an event
 * costs no timer of its own.
 */
export function connect<E>({ open, take, idleMs, clock, signal }: ConnectionSpec<E>): Connection {
  const abort = new AbortController()
  const end = Promise.withResolvers<End>()
  let isOpen = true
  let lastEventAt = instantOf(clock)
  let limit = 0
  let cancelTimer = (): void => {}

  const close = (how: End): void => {
    if (!isOpen) return
    isOpen = false
    cancelTimer()
    signal.removeEventListener('abort', hangUp)
    abort.abort(new Error('the watch closed the connection'))
    end.resolve(how)
  }
  const hangUp = (): void => close({ by: 'us' })
  const checkForSilence = (): void => {
    limit = idleMs()
    const left = limit - elapsedSince(clock, lastEventAt)
    if (left <= 0) close({ by: 'silence' })
    else cancelTimer = clock.after(left, checkForSilence)
  }
  const read = async (): Promise<void> => {
    for await (const event of open(abort.signal)) {
      if (!isOpen) return
      lastEventAt = instantOf(clock)
      if (!take(event)) return close({ by: 'us' })
      if (idleMs() < limit) {
        cancelTimer()
        checkForSilence()
      }
    }
    close({ by: 'server' })
  }

  signal.addEventListener('abort', hangUp)
  if (signal.aborted) hangUp()
  else checkForSilence()
  const released = isOpen ? read().catch((error: unknown) => close({ by: 'failure', error })) : Promise.resolve()
  return { end: end.promise, released, hangUp }
}
