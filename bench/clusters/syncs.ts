import { round, type Row } from '../measure.ts'
import { forgetAll, orderClusters, untilSynced } from './orders.ts'
import { onDatabase } from './place.ts'

const ORGANIZATIONS = 20
const WARM_UP = 200

interface SyncsOptions {
  readonly peer: string
  /** Of bench/. */
  readonly program: string
  readonly n: number
  readonly keep: (row: Row) => void
}

/** From the commit of n orders until all are synced, by one process with Gardener in its memory. */
export const measureSyncs = ({ peer, program, n, keep }: SyncsOptions): Promise<void> =>
  onDatabase(async ({ pool, start }) => {
    const worker = await start(program)
    await orderClusters(pool, WARM_UP, ORGANIZATIONS)
    await untilSynced(pool, WARM_UP)
    await forgetAll(pool)
    const cpu = worker.cpuSeconds
    await orderClusters(pool, n, ORGANIZATIONS)
    const from = performance.now()
    await untilSynced(pool, n)
    const seconds = (performance.now() - from) / 1000
    keep({
      bench: 'clusters.sync',
      peer,
      n,
      seconds: round(seconds, 3),
      perSecond: round(n / seconds),
      cpuSeconds: round(worker.cpuSeconds - cpu),
      rssMiB: round(worker.peakRssMiB, 1),
      p50ms: null,
      p99ms: null,
      notes: `${ORGANIZATIONS} organizations; Gardener in memory`,
    })
  })
