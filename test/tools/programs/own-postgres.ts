/** Starts PostgreSQL, says as whom, and stops it again. */
import { startPostgres } from '../../../tools/postgres/postgres.ts'
import { withClient } from '../database.ts'

const [dataDir = ''] = process.argv.slice(2)
const postgres = await startPostgres({ dataDir })
const [row] = await withClient(postgres.url, (client) =>
  client.query('select current_user as name').then(({ rows }) => rows),
)
await postgres.stop()
process.stdout.write(`${JSON.stringify({ uid: process.getuid?.(), user: row.name })}\n`)
