import type { Check } from '../../api/index.ts'
import { unlessAborted, until, type Service } from '../../kernel/index.ts'
import { isUnavailable, type Pool } from '../../store/index.ts'
import type { FailureLog } from '../../telemetry/index.ts'

/** Required: a process with a database is not ready without it. */
export const databaseCheck = (pool: Pool): Check => ({
  name: 'database',
  required: true,
  probe: async () => `PostgreSQL ${await postgresVersion(pool)}`,
})

const RETRY_MS = 1_000
const NOT_REACHED = 'Database not reached'

/**
 * Starts when the database has answered: it may come up later than this process. A refusal that waiting cannot change,
 * such as a wrong password, ends the process.
 */
export function databaseAnswers(
  pool: Pool,
  failures: Pick<FailureLog, 'failed' | 'recovered'>,
  onAnswer: (version: string) => void = () => {},
): Service {
  const ask = async (): Promise<void> => {
    onAnswer(await postgresVersion(pool))
    failures.recovered(NOT_REACHED)
  }
  // A stop does not wait for a server that is silent.
  return until('database', (signal) => unlessAborted(ask, signal), {
    everyMs: RETRY_MS,
    onError: (error) => failures.failed(NOT_REACHED, error),
    isFinal: (error) => !isUnavailable(error),
  })
}

async function postgresVersion(pool: Pool): Promise<string> {
  const [row] = await pool.query<{ server_version: string }>('show server_version')
  return row?.server_version.split(' ')[0] ?? 'unknown'
}
