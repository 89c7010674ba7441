import { timestamp } from '../../../kernel/index.ts'
import { quantityOf } from '../../../kube/index.ts'
import type { ClassRuntimeSpec, Dimension, FunctionSpec, Recommendation } from '../class-runtime.ts'
import { RULES } from './dimension.ts'
import type { PodLoad } from './measure.ts'

/** What was measured of one function. */
export interface FunctionLoad {
  /** One for each pod that runs, measured or not. */
  readonly pods: readonly PodLoad[]
}

export type Recommended = Readonly<Partial<Record<Dimension, Recommendation>>>

/** What one pod is taken to have when its function requests no cpu. */
const CPU_PER_POD = 500
const MAX_LATENCY_MS = 250
/** Below this, and below a hundredth of what is wanted, it is no traffic to conclude anything from. */
const NO_TRAFFIC_RPS = 0.01
const HEADROOM = 1.2
/** Memory of an idle function tells little about a busy one. */
const IDLE_CONFIDENCE = 0.4

/** What a function should have, concluded from what it does. A dimension that nothing can be said about is left out. */
export function analyze(spec: ClassRuntimeSpec, fn: FunctionSpec, { pods }: FunctionLoad, now: number): Recommended {
  const rps = sum(pods, 'rps')
  const wantedRps = fn.qos_requirement?.throughput || spec.nfr_requirements?.min_throughput_rps || undefined
  const isBusy = rps >= Math.max(NO_TRAFFIC_RPS, (wantedRps ?? 0) / 100)
  const found = {
    replicas: isBusy ? replicasFor(spec, fn, pods, rps, wantedRps) : undefined,
    memory: requestFor('memory', pods, isBusy),
    cpu: isBusy ? requestFor('cpu', pods, isBusy) : undefined,
  }
  return Object.fromEntries(
    Object.entries(found).flatMap(([dimension, one]) =>
      one === undefined ? [] : [[dimension, { ...one, confidence: rounded(one.confidence), at: timestamp(now) }]],
    ),
  )
}

type Conclusion = Omit<Recommendation, 'at'>

/**
 * As many as it takes for the wanted throughput at the cpu that a request costs now. Traffic above what is wanted is served
 * too. While answers are slow there is one more, and no fewer than there are.
 */
function replicasFor(
  spec: ClassRuntimeSpec,
  fn: FunctionSpec,
  pods: readonly PodLoad[],
  rps: number,
  wantedRps = rps,
): Conclusion | undefined {
  const measured = pods.filter((pod) => pod.rps !== undefined && pod.cpuMillicores !== undefined)
  if (measured.length === 0) return undefined
  const cpu = sum(measured, 'cpuMillicores')
  const cpuPerPod = Math.round((quantityOf(fn.provision_config?.cpu_request ?? '') ?? 0) * 1000) || CPU_PER_POD
  const growth = Math.max(1, wantedRps / rps)
  const forLoad = Math.max(1, Math.ceil((growth * cpu) / cpuPerPod))
  const maxLatency = spec.nfr_requirements?.max_latency_ms || MAX_LATENCY_MS
  const p99 = latencyOf(pods)
  const isSlow = p99 !== undefined && p99 > maxLatency
  return {
    value: isSlow ? Math.max(forLoad + 1, pods.length) : forLoad,
    confidence: measured.length / pods.length / growth,
    basis: [
      `${digits(rps)} rps of ${digits(wantedRps)} wanted`,
      `${digits(cpu)}m cpu at ${cpuPerPod}m per pod`,
      ...(p99 === undefined ? [] : [`p99 ${digits(p99)} ms ${isSlow ? 'above' : 'within'} ${digits(maxLatency)} ms`]),
    ].join(', '),
  }
}

const MEASURES = { memory: 'memoryBytes', cpu: 'cpuMillicores' } as const

/** What a pod uses on average and a fifth more. Trusted less when few pods were measured, or when they differ much. */
function requestFor(dimension: 'memory' | 'cpu', pods: readonly PodLoad[], isBusy: boolean): Conclusion | undefined {
  const measured = pods.flatMap((pod) => pod[MEASURES[dimension]] ?? [])
  if (measured.length === 0) return undefined
  const rules = RULES[dimension]
  const average = measured.reduce((a, b) => a + b, 0) / measured.length
  const value = Math.ceil(Math.max(average * HEADROOM, rules.min) / rules.grain) * rules.grain
  const most = Math.max(...measured)
  const evenness = Math.min(1, value / most)
  return {
    value,
    confidence: (measured.length / pods.length) * evenness * (isBusy ? 1 : IDLE_CONFIDENCE),
    basis: `${rules.text(average)} on average, ${rules.text(most)} at most, in ${measured.length} of ${pods.length} pods`,
  }
}

const sum = (pods: readonly PodLoad[], name: keyof PodLoad): number =>
  pods.reduce((total, pod) => total + (pod[name] ?? 0), 0)

/** Pods count by the requests they answer: the slowest of an idle pod says nothing about the function. */
function latencyOf(pods: readonly PodLoad[]): number | undefined {
  const timed = pods.filter((pod) => pod.p99Ms !== undefined && (pod.rps ?? 0) > 0)
  const weight = sum(timed, 'rps')
  return weight === 0 ? undefined : timed.reduce((total, pod) => total + (pod.p99Ms ?? 0) * (pod.rps ?? 0), 0) / weight
}

const rounded = (confidence: number): number => Math.round(confidence * 100) / 100

const FORMAT = new Intl.NumberFormat('en', { useGrouping: false, maximumSignificantDigits: 3 })
const digits = (value: number): string => (value >= 100 ? `${Math.round(value)}` : FORMAT.format(value))
