import { systemClock, type Clock } from '../kernel/index.ts'
import { HttpError } from './errors.ts'

export interface TokenBucketOptions {
  /** Requests per second over a longer time. */
  readonly perSecond: number
  /** Requests that may start at once after a pause. */
  readonly burst: number
  /** A request that would wait longer is refused at once. */
  readonly maxWaitMs: number
  readonly clock?: Clock
}

interface Waiter {
  readonly start: () => void
}

/** Limits the rate of requests. Waiting requests start in the order they came. */
export class TokenBucket {
  readonly #perMs: number
  readonly #burst: number
  readonly #maxWaitMs: number
  readonly #clock: Clock
  readonly #waiting = new Set<Waiter>()
  #tokens: number
  #filledAt: number
  #cancelTimer: (() => void) | undefined

  constructor({ perSecond, burst, maxWaitMs, clock = systemClock }: TokenBucketOptions) {
    this.#perMs = perSecond / 1000
    this.#burst = burst
    this.#maxWaitMs = maxWaitMs
    this.#clock = clock
    this.#tokens = burst
    this.#filledAt = clock.elapsed()
  }

  /** Nothing waits and the burst is available: the bucket is as good as new. */
  get isIdle(): boolean {
    this.#fill()
    return this.#waiting.size === 0 && this.#tokens === this.#burst
  }

  /** Resolves when the request may start. Rejects with the signal's reason, or as `busy` if the wait would be too long. */
  take(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    this.#fill()
    if (this.#waiting.size === 0 && this.#tokens >= 1) {
      this.#tokens--
      return Promise.resolve()
    }
    const waitMs = (this.#waiting.size + 1 - this.#tokens) / this.#perMs
    if (waitMs > this.#maxWaitMs) {
      const text = `${this.#waiting.size} requests wait already; one more would wait ${Math.ceil(waitMs)} ms`
      return Promise.reject(new HttpError('busy', `${text}, and ${this.#maxWaitMs} ms are allowed`))
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(waiter)
        this.#schedule()
        reject(signal?.reason as Error)
      }
      const waiter: Waiter = {
        start: () => {
          signal?.removeEventListener('abort', onAbort)
          resolve()
        },
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#waiting.add(waiter)
      this.#schedule()
    })
  }

  #fill(): void {
    const now = this.#clock.elapsed()
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#perMs)
    this.#filledAt = now
  }

  #schedule(): void {
    if (this.#waiting.size === 0) {
      this.#cancelTimer?.()
      this.#cancelTimer = undefined
    } else this.#cancelTimer ??= this.#clock.after(Math.ceil((1 - this.#tokens) / this.#perMs), this.#serve)
  }

  readonly #serve = (): void => {
    this.#cancelTimer = undefined
    this.#fill()
    for (const waiter of this.#waiting) {
      if (this.#tokens < 1) break
      this.#tokens--
      this.#waiting.delete(waiter)
      waiter.start()
    }
    this.#schedule()
  }
}

/** Hosts after which idle buckets are removed. */
const MANY_HOSTS = 256

/** One bucket per host. */
export class HostBuckets {
  readonly #options: TokenBucketOptions
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(options: TokenBucketOptions) {
    this.#options = options
  }

  take(host: string, signal?: AbortSignal): Promise<void> {
    let bucket = this.#buckets.get(host)
    if (bucket === undefined) {
      if (this.#buckets.size >= MANY_HOSTS) this.#removeIdle()
      bucket = new TokenBucket(this.#options)
      this.#buckets.set(host, bucket)
    }
    return bucket.take(signal)
  }

  get size(): number {
    return this.#buckets.size
  }

  #removeIdle(): void {
    for (const [host, bucket] of this.#buckets) if (bucket.isIdle) this.#buckets.delete(host)
  }
}
