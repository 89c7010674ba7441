import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { ClassRuntime, RuntimesEvents } from '../../domains/runtimes/index.ts'
import type { Emitter } from '../../kernel/index.ts'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * The metrics of OaaS dashboards, under their names. Labels have few values: never a namespace, a runtime or
 * a function. `list` is called at every scrape; if it throws, the gauges have no value.
 */
export function runtimesMetrics(
  registry: Registry,
  emitter: Emitter<RuntimesEvents>,
  list: () => readonly ClassRuntime[],
): () => void {
  const registers = [registry]
  const applied = new Counter({
    name: 'crm_nfr_enforcement_apply_total',
    help: 'Recommendations that were applied.',
    labelNames: ['dimension'],
    registers,
  })
  const failed = new Counter({
    name: 'crm_nfr_enforcement_fail_total',
    help: 'Recommendations that failed to be applied, by the code of the failure.',
    labelNames: ['reason'],
    registers,
  })
  const latency = new Histogram({
    name: 'crm_nfr_enforcement_latency_seconds',
    help: 'Time to apply a recommendation.',
    buckets: SECONDS,
    registers,
  })
  const transitions = new Counter({
    name: 'crm_phase_transitions_total',
    help: 'Phase changes of class runtimes; `from` is empty for a new one.',
    labelNames: ['from', 'to'],
    registers,
  })
  const listed = (): readonly ClassRuntime[] => {
    try {
      return list()
    } catch {
      return []
    }
  }
  const recommended = new Gauge({
    name: 'crm_nfr_recommendation',
    help: 'Sum of the recommendations for all functions: replicas, bytes of memory, millicores of cpu.',
    labelNames: ['dimension'],
    registers: [],
    collect() {
      this.reset()
      for (const { status } of listed()) {
        for (const [key, { value }] of Object.entries(status?.nfr_recommendations ?? {})) {
          this.inc({ dimension: key.split('/', 1)[0] ?? key }, value)
        }
      }
    },
  })
  const conditions = new Gauge({
    name: 'crm_conditions',
    help: 'Class runtimes, by condition and its status.',
    labelNames: ['type', 'status'],
    registers: [],
    collect() {
      this.reset()
      for (const { status } of listed()) {
        for (const one of status?.conditions ?? []) this.inc({ type: one.type, status: one.status })
      }
    },
  })
  registry.registerMetric(recommended)
  registry.registerMetric(conditions)
  const stop = [
    emitter.on('runtimes:phase', ({ from = '', to }) => transitions.inc({ from, to })),
    emitter.on('runtimes:enforced', ({ dimension, ms, failure }) => {
      latency.observe(ms / 1000)
      if (failure === undefined) applied.inc({ dimension })
      else failed.inc({ reason: failure.code })
    }),
  ]
  return () => stop.forEach((end) => end())
}
