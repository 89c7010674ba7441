import { elapsedSince, instantOf, sleep, type Clock, type Emitter, type Instant } from '../../kernel/index.ts'
import { HttpError, type AnswerWatch } from '../../http/index.ts'

export interface ConnectionEvents {
  /** A request has had no answer for `ms`. Repeated until one is answered. */
  'kube:silent': { readonly request: string; readonly ms: number }
  /** `replaced`: only new connections were answered, so that the older ones were closed. */
  'kube:answering': { readonly ms: number; readonly replaced: boolean }
}

export interface SilenceOptions {
  readonly clock: Clock
  /** How long a request may have no answer before its connection is suspected. */
  readonly afterMs: number
  readonly emitter: Emitter<ConnectionEvents> | undefined
  /** Sends a small request over a new connection. Resolves, if it is answered, with how to use that one from now on. */
  readonly probe: (signal: AbortSignal) => Promise<Replacement>
  /** Closes the streams that have been silent since then. */
  readonly hangUpSilent: (since: Instant) => void
}

export interface Replacement {
  /** Directs new requests to new connections. */
  adopt(): void
  discard(): void
}

/** The failure of a request or stream whose connection was replaced. */
export class SilentConnection extends HttpError {
  constructor() {
    super('unreachable', 'the connection was silent while a new one was answered')
  }
}

/** Replacing working connections of a slow server costs it one reconnect of each quiet watch, so at most this often. */
const PAUSE_MS = 15_000

interface Waiting {
  readonly request: string
  readonly since: Instant
  readonly isRepeatable: boolean
  isAnswered: boolean
  giveUp: ((reason: Error) => void) | undefined
}

/**
 * Finds connections that died without being closed, such as those that a firewall or a load balancer forgot.
 *
 * A request without an answer proves nothing: the server may be slow. If a request on a new connection is answered
 * first, the older connections are replaced, also those of watches, which would otherwise be silent until their idle
 * time. Reads under way are repeated; a write keeps its connection and its time limit, because it may have arrived.
 */
export class SilenceDetector {
  readonly #options: SilenceOptions
  readonly #waiting = new Set<Waiting>()
  readonly #closed = new AbortController()
  #isSuspicious = false
  #replacedAt: Instant | undefined

  constructor(options: SilenceOptions) {
    this.#options = options
  }

  close(): void {
    this.#closed.abort(new Error('the transport is closed'))
  }

  /** Watches one request. Dispose of it when the request has ended. */
  watch(request: string, isRepeatable: boolean): AnswerWatch & Disposable {
    const { clock, afterMs } = this.#options
    const waiting: Waiting = { request, since: instantOf(clock), isRepeatable, isAnswered: false, giveUp: undefined }
    this.#waiting.add(waiting)
    const cancel = clock.after(afterMs, () => void this.#suspect(waiting).catch(() => {}))
    return {
      sent: (giveUp) => (waiting.giveUp = giveUp),
      answered() {
        waiting.isAnswered = true
        cancel()
      },
      [Symbol.dispose]: () => {
        cancel()
        this.#waiting.delete(waiting)
      },
    }
  }

  /** Probes until a request is answered, whether or not the suspected one has been given up in the meantime. */
  async #suspect(waiting: Waiting): Promise<void> {
    // What was sent before the connections were replaced proves nothing about the new ones.
    const isOutdated = this.#replacedAt !== undefined && waiting.since.monotonic < this.#replacedAt.monotonic
    if (this.#isSuspicious || isOutdated) return
    const { clock, afterMs, emitter } = this.#options
    this.#isSuspicious = true
    try {
      for (;;) {
        emitter?.emit('kube:silent', { request: waiting.request, ms: Math.round(elapsedSince(clock, waiting.since)) })
        const pauseMs = this.#replacedAt === undefined ? 0 : PAUSE_MS - elapsedSince(clock, this.#replacedAt)
        if (pauseMs > 0) await sleep(clock, pauseMs, this.#closed.signal)
        const found = await this.#options.probe(this.#closed.signal).catch(() => undefined)
        if (this.#closed.signal.aborted) return found?.discard()
        if (found !== undefined || waiting.isAnswered) return this.#end(waiting, found)
        await sleep(clock, afterMs, this.#closed.signal)
      }
    } finally {
      this.#isSuspicious = false
    }
  }

  #end(suspected: Waiting, found: Replacement | undefined): void {
    const { clock, afterMs, emitter, hangUpSilent } = this.#options
    const replaced = !suspected.isAnswered
    if (replaced) {
      const replacedAt = instantOf(clock)
      this.#replacedAt = replacedAt
      found?.adopt()
      hangUpSilent(suspected.since)
      // The others may have been heard after the suspected request was sent and before their connection died.
      const cancel = clock.after(afterMs, () => hangUpSilent(replacedAt))
      this.#closed.signal.addEventListener('abort', cancel, { once: true })
      for (const { isRepeatable, isAnswered, giveUp } of this.#waiting)
        if (isRepeatable && !isAnswered) giveUp?.(new SilentConnection())
    } else found?.discard()
    emitter?.emit('kube:answering', { ms: Math.round(elapsedSince(clock, suspected.since)), replaced })
  }
}
