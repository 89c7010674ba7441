import { listed, msOf, type Listed, type PageOptions, type Runner, type Tx } from '../../../store/index.ts'
import type { ChartSource, Verification } from '../types.ts'

interface SourceRow {
  readonly id: string
  readonly host: string
  readonly username: string | null
  readonly sealed_password: string | null
  readonly ca: string | null
  readonly verification: Verification
  readonly keyring: string | null
  readonly updated_at: Date
}

/** With the password as it is stored. */
export interface StoredSource extends ChartSource {
  readonly id: string
  readonly sealedPassword: string | null
}

const COLUMNS = 'id, host, username, sealed_password, ca, verification, keyring, updated_at'

const sourceOf = (row: SourceRow): StoredSource => ({
  id: row.id,
  host: row.host,
  username: row.username,
  sealedPassword: row.sealed_password,
  ca: row.ca,
  verification: row.verification,
  keyring: row.keyring,
  updatedAt: msOf(row.updated_at),
})

/** By host. */
export async function listSources(on: Runner, { limit, after }: PageOptions): Promise<Listed<StoredSource>> {
  const rows = await on.query<SourceRow>(
    `select ${COLUMNS} from caelus.chart_source where $2::text is null or host > $2 order by host limit $1`,
    [limit + 1, after?.[0] ?? null],
  )
  return listed(rows.map(sourceOf), limit, ({ host }) => [host])
}

/** There are as many as an admin wrote by hand. */
export async function allSources(on: Runner): Promise<StoredSource[]> {
  const rows = await on.query<SourceRow>(`select ${COLUMNS} from caelus.chart_source order by host`)
  return rows.map(sourceOf)
}

export async function findSource(on: Runner, host: string): Promise<StoredSource | undefined> {
  const [row] = await on.query<SourceRow>(`select ${COLUMNS} from caelus.chart_source where host = $1`, [host])
  return row && sourceOf(row)
}

export async function lockSource(tx: Tx, host: string): Promise<StoredSource | undefined> {
  const [row] = await tx.query<SourceRow>(`select ${COLUMNS} from caelus.chart_source where host = $1 for update`, [
    host,
  ])
  return row && sourceOf(row)
}

/** Adds it, or replaces the one of this host. */
export async function writeSource(tx: Tx, source: Omit<StoredSource, 'updatedAt'>): Promise<StoredSource> {
  const [row] = await tx.query<SourceRow>(
    `insert into caelus.chart_source (id, host, username, sealed_password, ca, verification, keyring)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (host) do update set
       id = excluded.id, username = excluded.username, sealed_password = excluded.sealed_password, ca = excluded.ca,
       verification = excluded.verification, keyring = excluded.keyring,
       updated_at = date_trunc('milliseconds', now())
     returning ${COLUMNS}`,
    [source.id, source.host, source.username, source.sealedPassword, source.ca, source.verification, source.keyring],
  )
  return sourceOf(row as SourceRow)
}

export async function removeSource(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from caelus.chart_source where id = $1', [id])
}
