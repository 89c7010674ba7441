import { createHash } from 'node:crypto'
import { Pool as Connections, type ClientBase, type PoolConfig } from 'pg'
import { classify } from './failures.ts'

/** Whatever can run a statement: the pool, where each stands alone, or a transaction. */
export interface Runner {
  /** Prepared once per connection under a name made from its text: statements are constants, values are arguments. */
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
  /** @default 30_000 */
  readonly statementTimeoutMs?: number
  /** Must be well below every lease: a statement that waits for a row must give up before its caller loses a key. @default 2_000 */
  readonly lockTimeoutMs?: number
  /** Further settings of the session, such as the planner's. */
  readonly settings?: Readonly<Record<string, string>>
  /** The server ends a session that leaves a transaction open and does nothing for this long. @default 10_000 */
  readonly idleInTransactionTimeoutMs?: number
}

export interface Pool extends Runner {
  /** A connection of one's own; give it back with `release`, or with an error to have it closed. */
  connect(): Promise<Session>
  stats(): { readonly total: number; readonly idle: number; readonly waiting: number }
  end(): Promise<void>
}

export interface Session extends Runner {
  release(error?: Error): void
}

export function openPool(options: PoolOptions): Pool {
  const pool = new Connections(clientConfig(options))
  // A connection that breaks while nobody uses it is replaced; whoever uses it hears of it by their own statement.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    query: (text, values) => run(pool, text, values),
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw classify(error)
      })
      return {
        query: (text, values) => run(client, text, values),
        release: (error) => client.release(error),
      }
    },
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    end: () => pool.end(),
  }
}

/** Compiling pays for statements that take seconds; ours take milliseconds. */
const SETTINGS = { jit: 'off' }

function clientConfig(options: PoolOptions): PoolConfig {
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.max ?? 10,
    connectionTimeoutMillis: options.acquireTimeoutMs ?? 5_000,
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    lock_timeout: options.lockTimeoutMs ?? 2_000,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 10_000,
    keepAlive: true,
    options: Object.entries({
      ...SETTINGS,
      ...options.settings,
      ...(options.role !== undefined && { role: options.role }),
    })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  }
}

async function run<Row extends object>(
  on: Connections | ClientBase,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  try {
    const { rows } = await on.query<Row>({ name: nameOf(text), text, values: values as unknown[] })
    return rows
  } catch (error) {
    throw classify(error)
  }
}

const names = new Map<string, string>()

function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('hex').slice(0, 20)
    names.set(text, name)
  }
  return name
}
