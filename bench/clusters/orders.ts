import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '../../src/store/index.ts'

const ORDER = `
  with org as (
    insert into tenant.organizations (name) select 'bench ' || i from generate_series(1, $2) i returning id
  ),
  numbered as (select id, row_number() over () - 1 as nth from org),
  ordered as (
    insert into tenant.clusters (organization_id, name, region, kubernetes_version)
    select o.id, 'bench-' || i, 'local', '1.34' from generate_series(1, $1) i
    join numbered o on o.nth = i % $2 returning id, organization_id
  )
  insert into tenant.node_pools (cluster_id, organization_id, name, machine_type, autoscale_min, autoscale_max)
  select id, organization_id, 'default', 'local', 1, 3 from ordered`

/** Orders n clusters in one transaction, as the API does: its triggers wake the worker. */
export async function orderClusters(pool: Pool, n: number, organizations: number): Promise<void> {
  await pool.query(ORDER, [n, organizations])
}

/** As if nothing had been ordered. */
export async function forgetAll(pool: Pool): Promise<void> {
  await pool.query('delete from caelus.job')
  await pool.query('truncate tenant.organizations cascade')
}

const SYNCED = 'select count(*)::int as n from tenant.cluster_sync where synced is not null'
const READY = `select count(*)::int as n from tenant.cluster_sync where shoot_status = 'ready'`
const LOOK_MS = 50

export const untilSynced = (pool: Pool, n: number): Promise<void> => untilCounted(pool, SYNCED, n)
export const untilReady = (pool: Pool, n: number): Promise<void> => untilCounted(pool, READY, n)

async function untilCounted(pool: Pool, query: string, n: number): Promise<void> {
  for (;;) {
    const [row] = await pool.query<{ n: number }>(query)
    if ((row?.n ?? 0) >= n) return
    await delay(LOOK_MS)
  }
}
