import { FailureError, messageOf } from '../kernel/index.ts'

export type HttpProblem =
  /** There is no connection, or it broke before the end of the answer. */
  | 'unreachable'
  /** The answer was not complete at the deadline, or arrived too slowly. */
  | 'timedOut'
  /** The answer has more bytes than allowed. */
  | 'tooLarge'
  /** The server redirects too often, or to an address that is not allowed. */
  | 'redirected'
  /** 401 and 403. */
  | 'forbidden'
  /** 404 and 410. */
  | 'missing'
  /** 429 and 503. */
  | 'busy'
  /** Any other status that is not a success. */
  | 'refused'

/** A request without a usable answer. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly problem: HttpProblem

  constructor(problem: HttpProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}

/** The problem of an error that a request rejected with. */
export const problemOf = (error: unknown): HttpProblem => (error instanceof HttpError ? error.problem : 'unreachable')

/** `undefined` for a success. */
export function problemOfStatus(status: number): HttpProblem | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400) return 'redirected'
  if (status === 401 || status === 403) return 'forbidden'
  if (status === 404 || status === 410) return 'missing'
  return status === 429 || status === 503 ? 'busy' : 'refused'
}

type MakeFailure = (
  message: string,
  options?: { readonly cause?: unknown; readonly retryAfterMs?: number },
) => FailureError

/** The failure of each problem; a problem without one is a case of `unreachable`. */
export type FailuresByProblem = Readonly<Partial<Record<HttpProblem, MakeFailure>>> & {
  readonly unreachable: MakeFailure
}

/** The failure of an error that a request rejected with. `doing` completes the sentence "failed to …". */
export function failureOfError(failures: FailuresByProblem, doing: string, error: unknown): FailureError {
  if (error instanceof FailureError) return error
  const make = failures[problemOf(error)] ?? failures.unreachable
  return make(`failed to ${doing}: ${messageOf(error)}`, { cause: error })
}

/** The failure of an answer that is not a success. */
export function failureOfStatus(
  failures: FailuresByProblem,
  doing: string,
  { status, retryAfterMs }: { readonly status: number; readonly retryAfterMs?: number | undefined },
): FailureError {
  const make = failures[problemOfStatus(status) ?? 'refused'] ?? failures.unreachable
  const text = `failed to ${doing}: the server answered ${status}`
  return make(text, retryAfterMs === undefined ? {} : { retryAfterMs })
}
