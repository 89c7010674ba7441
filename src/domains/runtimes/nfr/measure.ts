import { failureOf, type Failure } from '../../../kernel/index.ts'
import type { MetricsSource } from './metrics-source.ts'

/** What is known about one pod. Absent: it was not measured. */
export interface PodLoad {
  readonly rps?: number
  readonly p99Ms?: number
  readonly cpuMillicores?: number
  readonly memoryBytes?: number
}

/** One query per measure for all pods at once. Each returns a vector by `namespace` and `pod`. */
export type MetricQueries = Readonly<Record<keyof PodLoad, string>>

const BY_POD = 'sum by (namespace, pod)'

/**
 * For functions that count their requests as most frameworks do, and the kubelet's own measure of the container that runs them.
 *
 * @param range what rates and averages look back over, as PromQL has it
 */
export const defaultQueries = (range = '10m'): MetricQueries => ({
  rps: `${BY_POD} (rate(http_requests_total[${range}]))`,
  p99Ms: `1000 * histogram_quantile(0.99, sum by (namespace, pod, le) (rate(http_request_duration_seconds_bucket[${range}])))`,
  cpuMillicores: `1000 * ${BY_POD} (rate(container_cpu_usage_seconds_total{container="function"}[${range}]))`,
  memoryBytes: `${BY_POD} (avg_over_time(container_memory_working_set_bytes{container="function"}[${range}]))`,
})

export interface Measured {
  /** By `namespace/pod`. */
  readonly pods: ReadonlyMap<string, PodLoad>
  /** Queries that were not answered; the others still count. */
  readonly failures: readonly Failure[]
}

export async function measure(source: MetricsSource, queries: MetricQueries, signal: AbortSignal): Promise<Measured> {
  const pods = new Map<string, PodLoad>()
  const failures: Failure[] = []
  const ask = async ([measureOf, promql]: [string, string]): Promise<void> => {
    for (const { labels, value } of await source.query(promql, signal)) {
      const { namespace, pod } = labels
      if (namespace === undefined || pod === undefined) continue
      const key = `${namespace}/${pod}`
      pods.set(key, { ...pods.get(key), [measureOf]: value })
    }
  }
  for (const answer of await Promise.allSettled(Object.entries(queries).map(ask))) {
    if (answer.status === 'rejected') failures.push(failureOf(answer.reason))
  }
  signal.throwIfAborted()
  return { pods, failures }
}
