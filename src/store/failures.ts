import { defineFailures, FailureError, failureOf, messageOf } from '../kernel/index.ts'

export const raise = defineFailures({
  DatabaseUnavailable: {
    whoseMove: 'platform',
    retryable: true,
    nextStep:
      'Caelus retries automatically. If the problem persists, check that PostgreSQL runs and that this process can reach it.',
  },
  DatabaseBusy: {
    whoseMove: 'platform',
    retryable: true,
    nextStep:
      'Caelus retries automatically. If the problem persists, search pg_stat_activity for long transactions, or allow more connections.',
  },
  DatabaseConflict: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'Caelus retries automatically: two transactions changed the same rows at once.',
  },
  MigrationRefused: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Run the version that contains the named migration, or restore its file as it was released.',
  },
  LoginTooPowerful: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Name another login, or revoke from it what the message names.',
  },
  LoginRefused: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Correct the connection URL of the login and run the command again.',
  },
  LoginLacksRole: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Set DATABASE_URL to a login with the named role: docs/database.md says which command needs which.',
  },
  RoleMissing: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Have a superuser run the statements in the message once, then migrate again.',
  },
})

/** Errors of sockets, and of the driver when a socket closed during a query: they carry no SQLSTATE. */
const LOST =
  /ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|connection terminated|connection error|not queryable/i

/** The server's message when a login is no member of the role that a pool or a transaction sets. */
const LACKS_ROLE = /permission denied to set role/i

/** The driver's message when no connection became free in time. */
const NONE_FREE = /timeout exceeded when trying to connect/i

/** The driver's message when a query got no answer within `query_timeout`. */
const SILENT = /query read timeout/i

/** Whether a query got no answer at all in time, so that its connection must be taken for dead. */
export const isSilence = (error: unknown): boolean => error instanceof Error && SILENT.test(error.message)

/**
 * The declared failure behind an error of the driver: unavailable, busy or in conflict, which are retryable,
 * or a login without the role that it needs. Any other error (a violated constraint, a syntax error) belongs to
 * the statement and is returned unchanged.
 */
export function classify(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const make = makerFor(error)
  return make === undefined ? error : make(`failed to use the database: ${messageOf(error)}`, { cause: error })
}

type Maker = (message: string, options: ErrorOptions) => FailureError

function makerFor(error: Error): Maker | undefined {
  const code = sqlState(error)
  if (code === undefined || code.length !== 5) {
    if (NONE_FREE.test(error.message)) return raise.DatabaseBusy
    return isSilence(error) || LOST.test(`${code ?? ''} ${error.message}`) ? raise.DatabaseUnavailable : undefined
  }
  if (code === '40001' || code === '40P01') return raise.DatabaseConflict
  if (code === '42501' && LACKS_ROLE.test(error.message)) return raise.LoginLacksRole
  // too many connections or other resources · lock not available in time · statement cancelled by its timeout
  if (code.startsWith('53') || code === '55P03' || code === '57014') return raise.DatabaseBusy
  return endsConnection(code) ? raise.DatabaseUnavailable : undefined
}

/**
 * Connection exceptions · shutdown, crash, starting up, idle timeouts · read-only: this server is no longer
 * the primary.
 */
const endsConnection = (code: string): boolean =>
  code.startsWith('08') || code.startsWith('57P') || code === '25P03' || code === '25006'

/**
 * Whether the error is the server's answer to one statement, after which the connection can be used again.
 */
export function isAnswer(error: unknown): boolean {
  const code = sqlState(error)
  return code?.length === 5 && !endsConnection(code)
}

/** Whether the server refused a statement, so that nothing of it was done. False also means that it is not known. */
export const isRefused = (error: unknown): boolean =>
  isAnswer(error) || (error instanceof FailureError && isAnswer(error.cause))

/** Whether the database may answer later without a change of this process: it is away, silent or too busy. */
export const isUnavailable = (error: unknown): boolean =>
  ['DatabaseUnavailable', 'DatabaseBusy'].includes(failureOf(error).code)

/** The five characters that name an error of PostgreSQL, or the code of a socket error. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** Whether the constraint, unique index or checking trigger of this name refused a statement. */
export const violates = (error: unknown, constraint: string): boolean =>
  ['23505', '23514'].includes(sqlState(error) ?? '') && (error as { constraint?: unknown }).constraint === constraint
