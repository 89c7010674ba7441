import type { Check } from '../../api/index.ts'
import type { Pool } from '../../store/index.ts'

/** No process that needs a database is of any use without it. */
export const databaseCheck = (pool: Pool): Check => ({
  name: 'database',
  required: true,
  probe: async () => `PostgreSQL ${await postgresVersion(pool)}`,
})

export async function postgresVersion(pool: Pool): Promise<string> {
  const [row] = await pool.query<{ server_version: string }>('show server_version')
  return row?.server_version.split(' ')[0] ?? 'unknown'
}
