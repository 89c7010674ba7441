import { defineFailures, messageOf, type FailureError } from '../kernel/index.ts'

export const raise = defineFailures({
  DatabaseUnavailable: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'It is retried by itself. If it stays, check that PostgreSQL runs and that this process can reach it.',
  },
  DatabaseBusy: {
    whoseMove: 'platform',
    retryable: true,
    nextStep:
      'It is retried by itself. If it stays, look in pg_stat_activity for long transactions, or allow more connections.',
  },
  DatabaseConflict: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'It is retried by itself: two transactions changed the same rows at once.',
  },
  MigrationRefused: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Read which migration is named: run the version that knows it, or restore the file as it was released.',
  },
  RoleMissing: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Let a superuser run the statements named in the message once, then migrate again.',
  },
})

/** Errors of sockets, and of the driver when a socket ended under it: they carry no SQLSTATE. */
const LOST =
  /ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|connection terminated|connection error|not queryable/i

/** The driver's words when no connection became free in time. */
const NONE_FREE = /timeout exceeded when trying to connect/i

/**
 * The declared failure behind an error of the driver: lost, busy or in conflict, all worth another try.
 * Anything else (a violated constraint, a typing error) is the statement's own affair and comes back as it was.
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
    return LOST.test(`${code ?? ''} ${error.message}`) ? raise.DatabaseUnavailable : undefined
  }
  if (code === '40001' || code === '40P01') return raise.DatabaseConflict
  // too many connections or other resources · lock not available in time · statement cancelled by its timeout
  if (code.startsWith('53') || code === '55P03' || code === '57014') return raise.DatabaseBusy
  // connection exceptions · shutdown, crash, starting up, idle timeouts · read-only: we talk to what was the primary
  if (code.startsWith('08') || code.startsWith('57P') || code === '25P03' || code === '25006')
    return raise.DatabaseUnavailable
  return undefined
}

/** The five characters that name an error of PostgreSQL, or the code of a socket error. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** Whether a statement was refused by the unique constraint or index of this name. */
export const violates = (error: unknown, constraint: string): boolean =>
  sqlState(error) === '23505' && (error as { constraint?: unknown }).constraint === constraint
