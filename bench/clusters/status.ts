import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Shoots } from '../../src/domains/clusters/gardener/resources.ts'
import { CLUSTER_ID, type Shoot } from '../../src/domains/clusters/gardener/shoot.ts'
import { createEmitter, startAll, systemClock } from '../../src/kernel/index.ts'
import {
  at as placeOf,
  cache,
  httpTransport,
  loadKubeConfig,
  makeClient,
  type Cache,
  type WatchEvents,
} from '../../src/kube/index.ts'
import type { Pool } from '../../src/store/index.ts'
import { startGarden, type Garden } from '../../tools/garden/index.ts'
import { quantile, round, type Row } from '../measure.ts'
import type { Measured } from '../process.ts'
import { orderClusters, untilReady, untilSynced } from './orders.ts'
import { onDatabase } from './place.ts'

const ORGANIZATIONS = 20
/** 5 % of 1,000 clusters in a minute. */
const CHANGE_EVERY_MS = 1_200
const CHANGES = 100
const PASS_MS = 20_000
const PASS_WITHIN_MS = 60_000
const LOOK_MS = 20
const PACE = { stepMs: 500, steps: 1, retryMs: 600_000 }
const CONDITION = 'SystemComponentsHealthy'

interface Pass {
  readonly clusters: number
  readonly woken: number
  readonly ms: number
  readonly requests: Readonly<Record<string, number>>
}

/**
 * Many Shoots on a real Gardener: what syncing them takes, how old statuses get while some change, and what a pass over
 * unchanged clusters costs.
 */
export const measureStatus = (peer: string, n: number, keep: (row: Row) => void): Promise<void> =>
  onDatabase(async ({ dir, pool, start }) => {
    const garden = await startGarden({ dir: join(dir, 'garden'), pace: PACE })
    const transport = httpTransport(await loadKubeConfig({ path: garden.kubeconfig }))
    const emitter = createEmitter<WatchEvents>()
    const source = makeClient(transport, { fieldManager: 'bench' })
    const shoots = cache<Shoot>({ source, clock: systemClock, emitter }, { resource: Shoots })
    const stop = await startAll([shoots])
    try {
      const env = { GARDENER_KUBECONFIG: garden.kubeconfig, PASS_MS: String(PASS_MS) }
      const worker = await start('clusters-peer', env)
      const row = rowsOf(peer, worker, keep)
      await row('clusters.create', n, async () => {
        await orderClusters(pool, n, ORGANIZATIONS)
        await untilSynced(pool, n)
        return { notes: 'real gardener-apiserver, with its admission' }
      })
      await untilReady(pool, n)
      const before = await nextPass(worker)
      await row('clusters.status', CHANGES, () => lagsOf(garden, shoots, pool))
      await nextPass(worker)
      const writes = await writesIn(pool)
      const from = await nextPass(worker)
      const unchanged = await nextPass(worker)
      const asked = totalOf(unchanged) - totalOf(from)
      const written = (await writesIn(pool)) - writes
      keep({
        ...empty('clusters.pass', peer, unchanged.clusters),
        seconds: round(unchanged.ms / 1000, 3),
        perSecond: round(unchanged.clusters / (unchanged.ms / 1000)),
        rssMiB: round(worker.peakRssMiB, 1),
        notes: `${unchanged.woken} woken, ${asked} requests, ${written} rows written besides heartbeats; requests since the start: ${JSON.stringify(unchanged.requests)}, before the changes: ${JSON.stringify(before.requests)}`,
      })
    } finally {
      await stop()
      await transport.close()
      await garden.stop()
    }
  })

const empty = (bench: string, peer: string, n: number): Row => ({
  bench,
  peer,
  n,
  seconds: 0,
  perSecond: 0,
  cpuSeconds: 0,
  rssMiB: 0,
  p50ms: null,
  p99ms: null,
  notes: '',
})

const rowsOf =
  (peer: string, worker: Measured, keep: (row: Row) => void) =>
  async (
    bench: string,
    n: number,
    work: () => Promise<{ readonly lags?: readonly number[]; readonly notes: string }>,
  ): Promise<void> => {
    const [cpu, from] = [worker.cpuSeconds, performance.now()]
    const { lags = [], notes } = await work()
    const seconds = (performance.now() - from) / 1000
    keep({
      ...empty(bench, peer, n),
      seconds: round(seconds, 3),
      perSecond: round(n / seconds),
      cpuSeconds: round(worker.cpuSeconds - cpu),
      rssMiB: round(worker.peakRssMiB, 1),
      p50ms: quantile(lags, 0.5),
      p99ms: quantile(lags, 0.99),
      notes,
    })
  }

/** From the change of a Shoot, as a watch of ours sees it, until the row says so. */
async function lagsOf(
  { gardenlet }: Garden,
  shoots: Cache<Shoot>,
  pool: Pool,
): Promise<{ readonly lags: readonly number[]; readonly notes: string }> {
  const chosen = shoots.list()
  const changing = Array.from({ length: CHANGES }, async (_, i) => {
    await delay(i * CHANGE_EVERY_MS)
    const shoot = chosen[i % chosen.length]
    if (shoot === undefined) throw new Error('there are no Shoots')
    await gardenlet.degrade(placeOf(shoot), { type: CONDITION, message: 'a component is missing' })
    while (isHealthy(shoots.get(placeOf(shoot)))) await delay(LOOK_MS / 4)
    const changedAt = performance.now()
    while ((await statusOf(pool, shoot)) === 'ready') await delay(LOOK_MS)
    return performance.now() - changedAt
  })
  return { lags: await Promise.all(changing), notes: `one of them changes every ${CHANGE_EVERY_MS} ms` }
}

const isHealthy = (shoot: Shoot | undefined): boolean =>
  shoot?.status?.conditions?.find(({ type }) => type === CONDITION)?.status === 'True'

async function statusOf(pool: Pool, { metadata }: Shoot): Promise<string | undefined> {
  const [row] = await pool.query<{ status: string }>(
    'select shoot_status as status from tenant.cluster_sync where cluster_id = $1',
    [metadata.labels?.[CLUSTER_ID]],
  )
  return row?.status
}

const nextPass = async (worker: Measured): Promise<Pass> =>
  JSON.parse((await worker.line('pass ', PASS_WITHIN_MS)).slice('pass '.length)) as Pass

const totalOf = ({ requests }: Pass): number => Object.values(requests).reduce((sum, count) => sum + count, 0)

/** Rows of clusters and jobs that were written so far. */
async function writesIn(pool: Pool): Promise<number> {
  const [row] = await pool.query<{ n: string }>(
    `select sum(n_tup_ins + n_tup_upd + n_tup_del) as n from pg_stat_user_tables
     where relname in ('clusters', 'node_pools', 'cluster_sync', 'cluster_events', 'job') and pg_stat_force_next_flush() is null`,
  )
  return Number(row?.n ?? 0)
}
