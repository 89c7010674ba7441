import { createHash } from 'node:crypto'
import { sleep, systemClock } from '../kernel/index.ts'
import { Pool as Connections, type PoolClient, type PoolConfig } from 'pg'
import { classify, isAnswer, isSilence } from './failures.ts'

/** Runs statements: the pool, where each statement is its own transaction, or an open transaction. */
export interface Runner {
  /**
   * Prepared once per connection under a name derived from its text: texts are constants, values are
   * arguments.
   */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

export interface PoolOptions {
  readonly url: string
  /** Shown in pg_stat_activity. */
  readonly applicationName: string
  /** The role that statements run as. @default the one in `url` */
  readonly role?: string
  /** Most connections. @default 10 */
  readonly max?: number
  /** How long to wait for a free connection, or for a new one, before `DatabaseBusy`. @default 5_000 */
  readonly acquireTimeoutMs?: number
  /** After this the server cancels a statement. @default 30_000 */
  readonly statementTimeoutMs?: number
  /**
   * After this the client takes the connection for dead, because the server would have answered with its own
   * timeout.
   * @default statementTimeoutMs + 5_000
   */
  readonly queryTimeoutMs?: number
  /**
   * Must be well below every lease: a statement must stop waiting for a row before its caller loses a key.
   * @default 2_000
   */
  readonly lockTimeoutMs?: number
  /** Further settings of the session, such as the planner's. */
  readonly settings?: Readonly<Record<string, string>>
  /** The server ends a session that leaves a transaction open and idle for this long. @default 10_000 */
  readonly idleInTransactionTimeoutMs?: number
}

export interface Pool extends Runner {
  /** Reserves a connection. Return it with `release`, or with an error to close it. */
  connect(): Promise<Session>
  stats(): { readonly total: number; readonly idle: number; readonly waiting: number }
  /** Closes the connections. Waits a second at most for those in use: the server may have stopped answering. */
  end(): Promise<void>
}

export interface Session extends Runner {
  /** A connection that stopped answering is closed, with or without an error given here. */
  release(error?: Error): void
}

export function openPool(options: PoolOptions): Pool {
  const pool = new Connections(clientConfig(options))
  const silences = silencesOf(options.url)
  const generations = new WeakMap<PoolClient, number>()
  // An idle connection that breaks is replaced; a statement under way reports it to its caller.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    generations.set(client, silences.count)
    client.on('error', () => {})
  })

  /**
   * Skips connections older than one that stopped answering: the same network failure probably cut them off
   * as well.
   */
  const acquire = async (): Promise<PoolClient> => {
    for (;;) {
      const client = await pool.connect()
      if (generations.get(client) === silences.count) return client
      client.release(new Error('opened before another connection to this server stopped answering'))
    }
  }

  const connect = async (): Promise<Session> => {
    const client = await acquire().catch((error: unknown) => {
      throw classify(error)
    })
    let broken: unknown
    return {
      async query<Row extends object>(text: string, values: readonly unknown[] = []) {
        if (broken !== undefined) throw classify(broken)
        try {
          const { rows } = await client.query<Row>({ name: nameOf(text), text, values: values as unknown[] })
          return rows
        } catch (error) {
          if (!isAnswer(error)) broken = error
          if (isSilence(error) && generations.get(client) === silences.count) silences.count += 1
          throw classify(error)
        }
      },
      release: (error) => client.release(error ?? (broken as Error | undefined)),
    }
  }

  return {
    async query(text, values) {
      const session = await connect()
      try {
        return await session.query(text, values)
      } finally {
        session.release()
      }
    },
    connect,
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    end: () => closedSoon(pool.end()),
  }
}

/**
 * Counts the connections to a server that stopped answering. Connections opened before the last one are suspects, in all
 * pools of the process: a pool that asks seldom, or waits long for its answers, learns from the others.
 */
export function silencesOf(url: string): { count: number } {
  const server = URL.parse(url)?.host ?? url
  const known = SILENCES.get(server) ?? { count: 0 }
  SILENCES.set(server, known)
  return known
}

const SILENCES = new Map<string, { count: number }>()

/** JIT compilation pays for statements that take seconds; ours take milliseconds. */
const SETTINGS = { jit: 'off' }

/** Sockets without traffic are probed after this long; the operating system's default is two hours. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

/** For a connection outside of a pool: a server that is silent is given up. */
export const SINGLE_CONNECTION = { connectionTimeoutMillis: 10_000, ...KEEP_ALIVE } as const

const CLOSED_WITHIN_MS = 1_000

/** Waits for connections to close, but not for a server that stopped answering. */
async function closedSoon(closing: Promise<void>): Promise<void> {
  const closed = new AbortController()
  const waited = sleep(systemClock, CLOSED_WITHIN_MS, closed.signal).catch(() => {})
  await Promise.race([closing.finally(() => closed.abort()), waited])
}

/** Replaces connections now and then, so that they follow a failover and a changed address of the server. */
const LIFETIME_SECONDS = 1_800

function clientConfig(options: PoolOptions): PoolConfig {
  const { statementTimeoutMs = 30_000 } = options
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.max ?? 10,
    connectionTimeoutMillis: options.acquireTimeoutMs ?? 5_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: options.queryTimeoutMs ?? statementTimeoutMs + 5_000,
    lock_timeout: options.lockTimeoutMs ?? 2_000,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 10_000,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    ...KEEP_ALIVE,
    options: Object.entries({
      ...SETTINGS,
      ...options.settings,
      ...(options.role !== undefined && { role: options.role }),
    })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  }
}

const names = new Map<string, string>()
/** Far more than there are statements. */
const MOST_NAMES = 10_000

function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('hex').slice(0, 20)
    if (names.size >= MOST_NAMES) names.clear()
    names.set(text, name)
  }
  return name
}
