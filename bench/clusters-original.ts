import { setTimeout as delay } from 'node:timers/promises'
import { inTx, openPool } from '../src/store/index.ts'

/*
 * The peer: the loop of the original design with its mock, a map. One row at a time is claimed with SKIP LOCKED, and its
 * transaction stays open during the call of Gardener.
 */
const { DATABASE_URL: url = '' } = process.env
const pool = openPool({ url, applicationName: 'bench original loop', max: 1 })
const shoots = new Map<string, unknown>()

const CLAIM = `
  select c.id, c.name, c.region, c.kubernetes_version
  from tenant.cluster_sync s join tenant.clusters c on c.id = s.cluster_id
  where s.synced is null order by c.created limit 1 for update of s skip locked`

const SYNCED = `
  update tenant.cluster_sync set synced = now(), sync_error = null, sync_attempts = 0 where cluster_id = $1`

const IDLE_MS = 50

const over = new AbortController()
process.once('SIGTERM', () => over.abort())
// Not a column of the original: it has an index for its claims.
await pool.query('create index if not exists needs_sync on tenant.cluster_sync (cluster_id) where synced is null')
console.log('working')
while (!over.signal.aborted) {
  const isBusy = await inTx(pool, async (tx) => {
    const [cluster] = await tx.query<{ id: string }>(CLAIM)
    if (cluster === undefined) return false
    shoots.set(cluster.id, cluster)
    await tx.query(SYNCED, [cluster.id])
    return true
  })
  if (!isBusy) await delay(IDLE_MS)
}
await pool.end()
