import type { Mover, Problem } from './contract.ts'

/** What the API, or the way to it, answered instead of the thing that was asked for. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly problem: Problem

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.detail, options)
    this.problem = problem
  }
}

/** Client-side problems carry status 0: no answer was received, so no server chose a number. */
const local = (
  code: string,
  title: string,
  detail: string,
  rest: Pick<Problem, 'whose_move' | 'retryable' | 'next_step'>,
): Problem => ({
  type: 'about:blank',
  title,
  status: 0,
  detail,
  code,
  request_id: '',
  ...rest,
})

/** Only reads are retried; a change that received no answer may have been made. */
export const unreachable = (cause: unknown, isRead: boolean): ProblemError =>
  new ProblemError(
    local('ApiUnreachable', 'The API cannot be reached', 'the request received no answer', {
      whose_move: 'operator',
      retryable: true,
      next_step: `Check that the process is running and that this browser reaches it. ${
        isRead ? 'The console retries automatically.' : 'Then check whether the change was made before you repeat it.'
      }`,
    }),
    { cause },
  )

/** For an answer of 400 and above that is not problem+json, for example from a proxy in between. */
function strangeAnswer(status: number, requestId: string): ProblemError {
  return new ProblemError({
    ...local('UnexpectedAnswer', `Unexpected answer ${status}`, `the answer ${status} was not a problem document`, {
      whose_move: 'operator',
      retryable: status >= 500,
      next_step: 'Look at the proxy between browser and API: the API itself always explains its refusals.',
    }),
    status,
    request_id: requestId,
  })
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && 'code' in body && 'title' in body && 'status' in body

export function problemFrom(body: unknown, status: number, requestId: string): ProblemError {
  if (!isProblem(body)) return strangeAnswer(status, requestId)
  return new ProblemError({ ...body, request_id: body.request_id ?? requestId })
}

/** Anything thrown, as a problem that can be shown. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem
  return local('ConsoleError', 'The console made a mistake', error instanceof Error ? error.message : String(error), {
    whose_move: 'user',
    retryable: false,
    next_step: 'Reload the page. If the problem persists, report it with this message.',
  })
}

export const statusOf = (error: unknown): number => (error instanceof ProblemError ? error.problem.status : -1)

/** Transient failures are worth two more tries; a refusal stays a refusal. */
export const worthRetrying = (failures: number, error: unknown): boolean =>
  failures < 2 && error instanceof ProblemError && error.problem.retryable && statusOf(error) !== 429

const ACTIONS: Record<Mover | 'nobody', string> = {
  user: 'Action required: you',
  operator: 'Action required: operator',
  platform: 'No action required',
  provider: 'Action required: provider',
  nobody: 'No action required',
}

/** Who has to act. The platform acts by itself. */
export const actionRequired = (mover: Mover | 'nobody'): string => ACTIONS[mover] ?? `Action required: ${mover}`
