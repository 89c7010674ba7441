import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Emitter, KernelEvents } from '../kernel/index.ts'

export interface RequestFacts {
  readonly method: string
  /** The route's pattern, never the path: paths are unbounded. */
  readonly route: string
  readonly status: number
  readonly ms: number
}

const QUEUE_STATES = ['ready', 'delayed', 'running', 'parked'] as const

export interface QueueDepth extends Readonly<Record<(typeof QUEUE_STATES)[number], number>> {
  readonly queue: string
}

export interface Metrics {
  /** For further metrics of a domain. */
  readonly registry: Registry
  readonly contentType: string
  /** The page for Prometheus. */
  text(): Promise<string>
  request(facts: RequestFacts): void
  /** An event of a watch: connected, relisted, idle, behind. */
  watch(resource: string, happening: string): void
  /** `ask` is called at every scrape; if it fails, the gauge has no value. */
  queueDepths(ask: () => Promise<readonly QueueDepth[]>): void
  listenTo(kernel: Emitter<KernelEvents>): () => void
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

export function makeMetrics(version: string): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  new Gauge({
    name: 'caelus_build_info',
    help: 'Always 1; the label says which version runs.',
    labelNames: ['version'],
    registers,
  })
    .labels(version)
    .set(1)
  const reconciles = new Counter({
    name: 'caelus_reconcile_total',
    help: 'Reconciles that ended, by outcome and, for failures, code.',
    labelNames: ['controller', 'outcome', 'code'],
    registers,
  })
  const reconcileSeconds = new Histogram({
    name: 'caelus_reconcile_duration_seconds',
    help: 'Duration of reconciles.',
    labelNames: ['controller'],
    buckets: SECONDS,
    registers,
  })
  const running = new Gauge({
    name: 'caelus_reconcile_running',
    help: 'Running reconciles.',
    labelNames: ['controller'],
    registers,
  })
  const unreachable = new Counter({
    name: 'caelus_queue_unreachable_total',
    help: 'Failed calls to the queue.',
    labelNames: ['controller', 'doing'],
    registers,
  })
  const lost = new Counter({
    name: 'caelus_lease_lost_total',
    help: 'Leases that were lost during a run.',
    labelNames: ['controller'],
    registers,
  })
  const watches = new Counter({
    name: 'caelus_watch_happenings_total',
    help: 'Events of watches: connections, relists, errors, missed changes.',
    labelNames: ['resource', 'happening'],
    registers,
  })
  const requests = new Histogram({
    name: 'caelus_http_request_duration_seconds',
    help: 'Requests answered, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  })
  let askDepths: () => Promise<readonly QueueDepth[]> = () => Promise.resolve([])
  const depth = new Gauge({
    name: 'caelus_queue_depth',
    help: 'Keys in the queue, by state.',
    labelNames: ['queue', 'state'],
    registers: [],
    async collect() {
      this.reset()
      for (const each of await askDepths().catch(() => [])) {
        for (const state of QUEUE_STATES) this.set({ queue: each.queue, state }, each[state])
      }
    },
  })
  registry.registerMetric(depth)

  return {
    registry,
    contentType: registry.contentType,
    text: () => registry.metrics(),
    request: ({ method, route, status, ms }) => requests.observe({ method, route, status }, ms / 1000),
    watch: (resource, happening) => watches.inc({ resource, happening }),
    queueDepths(ask) {
      askDepths = ask
    },
    listenTo(kernel) {
      const stop = [
        kernel.on('reconcile:start', ({ controller }) => running.inc({ controller })),
        kernel.on('reconcile:end', ({ controller, outcome, ms, failure }) => {
          running.dec({ controller })
          reconciles.inc({ controller, outcome, code: failure?.code ?? '' })
          reconcileSeconds.observe({ controller }, ms / 1000)
        }),
        kernel.on('queue:unreachable', ({ controller, doing }) => unreachable.inc({ controller, doing })),
        kernel.on('lease:lost', ({ controller }) => lost.inc({ controller })),
      ]
      return () => stop.forEach((end) => end())
    },
  }
}
