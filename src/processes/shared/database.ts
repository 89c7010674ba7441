import type { Check } from '../../api/index.ts'
import type { Pool } from '../../store/index.ts'

/** Required: a process with a database is not ready without it. */
export const databaseCheck = (pool: Pool): Check => ({
  name: 'database',
  required: true,
  probe: async () => `PostgreSQL ${await postgresVersion(pool)}`,
})

export async function postgresVersion(pool: Pool): Promise<string> {
  const [row] = await pool.query<{ server_version: string }>('show server_version')
  return row?.server_version.split(' ')[0] ?? 'unknown'
}
