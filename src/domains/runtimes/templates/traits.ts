import type { ClassRuntimeSpec } from '../class-runtime.ts'

const STRICT_LATENCY_MS = 100
const STRICT_AVAILABILITY_PCT = 99.9
const STEADY_RPS = 500

/** Promises that a cold start would break: such a class wants replicas that are always there. */
export function needsWarmReplicas({ nfr_requirements: wanted = {} }: ClassRuntimeSpec): boolean {
  const { max_latency_ms = Infinity, availability_pct = 0, min_throughput_rps = 0 } = wanted
  return (
    max_latency_ms <= STRICT_LATENCY_MS ||
    availability_pct >= STRICT_AVAILABILITY_PCT ||
    min_throughput_rps >= STEADY_RPS
  )
}
