/** Who has to act before this can succeed. */
export const MOVERS = ['user', 'operator', 'platform', 'provider'] as const
export type Mover = (typeof MOVERS)[number]

/** A failure as stored in rows and status, returned by the API and shown in the console. */
export interface Failure {
  /** PascalCase; also the reason of a condition. Listed in docs/reference/failures.md. */
  readonly code: string
  readonly message: string
  readonly whoseMove: Mover
  readonly retryable: boolean
  readonly nextStep: string
}

/** The part of a failure that its code determines; only the message differs. */
export type FailureKind = Omit<Failure, 'code' | 'message'>

interface FailureErrorOptions extends ErrorOptions {
  /** The delay that the other side asked for (Retry-After); the loop waits at least this long. */
  readonly retryAfterMs?: number
}

/** An error with its failure. Any other error is retried as `Unexpected`. */
export class FailureError extends Error {
  override readonly name: string = 'FailureError'
  readonly failure: Failure
  readonly retryAfterMs: number | undefined

  constructor(failure: Failure, options: FailureErrorOptions = {}) {
    super(failure.message, options)
    this.failure = failure
    this.retryAfterMs = options.retryAfterMs
  }
}

export type Raise<Code extends string> = Readonly<
  Record<Code, (message: string, options?: FailureErrorOptions) => FailureError>
>

const known = new Map<string, FailureKind>()

/**
 * Declares the failure codes of a module and returns one maker per code:
 * `throw raise.ChartMissing('chart oci://… has no version 1.2.3')`.
 *
 * Codes are unique in the whole program: declaring one twice throws.
 */
export function defineFailures<const T extends Record<string, FailureKind>>(kinds: T): Raise<keyof T & string> {
  const makers = Object.entries(kinds).map(([code, kind]) => {
    if (known.has(code)) throw new Error(`failure code ${code} is declared twice`)
    known.set(code, kind)
    return [
      code,
      (message: string, options?: FailureErrorOptions) =>
        new FailureError({ code, message: storable(message), ...kind }, options),
    ]
  })
  return Object.fromEntries(makers) as Raise<keyof T & string>
}

/** Every declared code, sorted. The reference page is generated from this. */
export const knownFailures = (): ReadonlyArray<readonly [code: string, kind: FailureKind]> =>
  [...known].toSorted(([a], [b]) => (a < b ? -1 : 1))

export const raise = defineFailures({
  Unexpected: {
    whoseMove: 'operator',
    retryable: true,
    nextStep:
      'Caelus retries automatically. If the problem persists, read the log line with this message and report it.',
  },
  TimedOut: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'Caelus retries automatically. If the problem persists, see in explain what the step waits for.',
  },
  RunNeverEnded: {
    whoseMove: 'operator',
    retryable: false,
    nextStep:
      'Find out why the worker process crashed or hung during this reconcile: read its last log lines and its exit code (137: out of memory). Then requeue the job.',
  },
})

/**
 * The text without what PostgreSQL does not store, U+0000 and half of a surrogate pair. Messages quote what others wrote,
 * and cut it.
 */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

/** Limits the chain of causes, also if a cause points to itself. */
const MAX_CAUSES = 8

/** "failed to X: because Y: because Z", without repeating text that a wrapper has already quoted. */
export function messageOf(error: unknown): string {
  const parts: string[] = []
  let current: unknown = error
  for (let depth = 0; current !== undefined && current !== null && depth < MAX_CAUSES; depth++) {
    const text = textOf(current)
    if (text !== '' && !parts.some((part) => part.includes(text))) parts.push(text)
    current = current instanceof Error ? current.cause : undefined
  }
  return storable(parts.join(': ')) || 'unknown error'
}

function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ')
  if (error instanceof Error) return error.message || error.name
  return typeof error === 'string' ? error : JSON.stringify(error)
}

/** The failure in `error` or in its causes; otherwise `Unexpected` with the whole chain as message. */
export function failureOf(error: unknown): Failure {
  const carrier = carrierOf(error)
  return carrier ? { ...carrier.failure, message: messageOf(error) } : raise.Unexpected(messageOf(error)).failure
}

export const retryAfterOf = (error: unknown): number | undefined => carrierOf(error)?.retryAfterMs

function carrierOf(error: unknown): FailureError | undefined {
  let current: unknown = error
  for (let depth = 0; current instanceof Error && depth < MAX_CAUSES; depth++) {
    if (current instanceof FailureError) return current
    current = current.cause
  }
  return undefined
}
