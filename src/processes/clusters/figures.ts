import { asUser, type Pool, type Runner } from '../../store/index.ts'

/** How many clusters have each status, and how old what is known of them is. */
export interface Figures {
  readonly statuses: Readonly<Record<string, number>>
  /** Since the watch on Gardener was last known to be current; undefined: it never was. */
  readonly statusAgeSeconds: number | undefined
}

export type ReadFigures = () => Promise<Figures>

const STATUSES = `
  select shoot_status as status, count(*)::int as clusters from tenant.cluster_sync
  where shoot_status <> 'deleted' group by 1`

const AGE = `select extract(epoch from now() - max(seen))::float8 as age from tenant.cluster_watch`

async function read(on: Runner): Promise<Figures> {
  const statuses = await on.query<{ status: string; clusters: number }>(STATUSES)
  const [row] = await on.query<{ age: number | null }>(AGE)
  return {
    statuses: Object.fromEntries(statuses.map(({ status, clusters }) => [status, clusters])),
    statusAgeSeconds: row?.age ?? undefined,
  }
}

/** `pool` acts as caelus_worker. */
export const workerFigures =
  (pool: Pool): ReadFigures =>
  () =>
    read(pool)

/** `pool` acts as caelus_api. */
export const apiFigures =
  (pool: Pool): ReadFigures =>
  () =>
    asUser(pool, { admin: true }, read)
