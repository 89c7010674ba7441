import { loadavg } from 'node:os'
import { quantile, round, type Row } from '../measure.ts'
import { cpuSecondsOf } from '../process.ts'
import type { Place } from './place.ts'

/** What the processes of a peer have used so far. */
export interface Usage {
  readonly cpuSeconds: number
  readonly peakRssMiB: number
}

interface Figures {
  readonly n: number
  /** @default from the beginning of the work to its end */
  readonly seconds?: number
  readonly latencies?: readonly number[]
  readonly notes: string
}

export interface Phases {
  readonly peer: string
  readonly place: Place
  readonly usage: Usage
  readonly keep: (row: Row) => void
}

/** Does the work of one phase and keeps what it cost: the peer by itself, and beside it what the API server had of it. */
export async function phase(
  { peer, place, usage, keep }: Phases,
  bench: string,
  work: () => Promise<Figures>,
): Promise<void> {
  const apiServer = (): number => cpuSecondsOf(place.controlPlane.pids['kube-apiserver'] ?? process.pid)
  const [cpu, apiCpu, load] = [usage.cpuSeconds, apiServer(), loadavg()[0] ?? 0]
  const from = performance.now()
  const { n, seconds = (performance.now() - from) / 1000, latencies = [], notes } = await work()
  keep({
    bench: `apps.${bench}`,
    peer,
    n,
    seconds: round(seconds, 3),
    perSecond: round(n / seconds, 2),
    cpuSeconds: round(usage.cpuSeconds - cpu),
    rssMiB: round(usage.peakRssMiB, 1),
    p50ms: quantile(latencies, 0.5),
    p99ms: quantile(latencies, 0.99),
    notes: `${notes}; apiserver cpu ${round(apiServer() - apiCpu)} s; load before ${round(load)}`,
  })
}

/** Milliseconds on the clock that all processes of this machine share. */
export const now = (): number => performance.timeOrigin + performance.now()
