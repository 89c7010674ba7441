import type { Clock } from '../../kernel/index.ts'

/** How a connection came to its end. */
type End =
  | { readonly by: 'server' }
  | { readonly by: 'silence' }
  | { readonly by: 'failure'; readonly error: unknown }
  /** We hung up: stopping, or `take` wanted no more. */
  | { readonly by: 'us' }

export interface ConnectionSpec<E> {
  readonly open: (signal: AbortSignal) => AsyncIterable<E>
  /** Called for each event; false ends the connection. */
  readonly take: (event: E) => boolean
  /** How long nothing may arrive; asked after each event, because it differs from phase to phase. */
  readonly patienceMs: () => number
  readonly clock: Clock
  readonly signal: AbortSignal
}

export interface Connection {
  readonly end: Promise<End>
  /** Settles when the stream underneath has let go too, which a dead one may never do. */
  readonly released: Promise<void>
  hangUp(): void
}

/**
 * Reads a stream until it ends, fails, falls silent or is no longer wanted.
 *
 * The end does not depend on the stream: one that swallows everything, even its own abortion, is left behind.
 * A busy stream costs neither a timer nor a race per event: one timer looks at when the last event came.
 */
export function connect<E>({ open, take, patienceMs, clock, signal }: ConnectionSpec<E>): Connection {
  const abort = new AbortController()
  const end = Promise.withResolvers<End>()
  let isOpen = true
  let lastHeard = clock.now()
  let patience = 0
  let cancelTimer = (): void => {}

  const close = (how: End): void => {
    if (!isOpen) return
    isOpen = false
    cancelTimer()
    signal.removeEventListener('abort', hangUp)
    abort.abort(new Error('the watch hung up'))
    end.resolve(how)
  }
  const hangUp = (): void => close({ by: 'us' })
  const listenForSilence = (): void => {
    patience = patienceMs()
    const left = lastHeard + patience - clock.now()
    if (left <= 0) close({ by: 'silence' })
    else cancelTimer = clock.after(left, listenForSilence)
  }
  const read = async (): Promise<void> => {
    for await (const event of open(abort.signal)) {
      if (!isOpen) return
      lastHeard = clock.now()
      if (!take(event)) return close({ by: 'us' })
      if (patienceMs() < patience) {
        cancelTimer()
        listenForSilence()
      }
    }
    close({ by: 'server' })
  }

  signal.addEventListener('abort', hangUp)
  if (signal.aborted) hangUp()
  else listenForSilence()
  const released = isOpen ? read().catch((error: unknown) => close({ by: 'failure', error })) : Promise.resolve()
  return { end: end.promise, released, hangUp }
}
