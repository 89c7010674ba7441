import { Counter, Histogram, type Registry } from 'prom-client'
import type { Emitter } from '../../kernel/index.ts'
import type { ConnectionEvents, LeaderEvents, RequestEvents } from '../../kube/index.ts'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const LEADER_EVENTS = [
  'leader:elected',
  'leader:lost',
  'leader:resigned',
  'leader:unreachable',
] as const satisfies readonly (keyof LeaderEvents)[]

/**
 * Counts and times the requests to the Kubernetes API server. A watch is counted when it closes, and not
 * timed.
 */
export function kubeMetrics(
  registry: Registry,
  emitter: Emitter<RequestEvents & ConnectionEvents & LeaderEvents>,
): void {
  const registers = [registry]
  const requests = new Counter({
    name: 'caelus_kube_requests_total',
    help: 'Requests to the Kubernetes API server that ended; code 0 means that no response arrived.',
    labelNames: ['verb', 'resource', 'code'],
    registers,
  })
  const seconds = new Histogram({
    name: 'caelus_kube_request_duration_seconds',
    help: 'Duration of requests to the Kubernetes API server, without watches.',
    labelNames: ['verb', 'resource'],
    buckets: SECONDS,
    registers,
  })
  const silent = new Counter({
    name: 'caelus_kube_silent_total',
    help: 'How often a request to the Kubernetes API server had no answer for 3 s, so that new connections were tried.',
    registers,
  })
  const replaced = new Counter({
    name: 'caelus_kube_connections_replaced_total',
    help: 'How often all connections to the Kubernetes API server were replaced, because only new ones were answered.',
    registers,
  })
  const elections = new Counter({
    name: 'caelus_leader_events_total',
    help: 'Events of leader elections: elected, lost, resigned, unreachable.',
    labelNames: ['lease', 'event'],
    registers,
  })
  emitter.on('kube:silent', () => silent.inc())
  emitter.on('kube:answering', (end) => end.replaced && replaced.inc())
  for (const name of LEADER_EVENTS)
    emitter.on(name, ({ lease }) => elections.inc({ lease, event: name.slice('leader:'.length) }))
  emitter.on('kube:request', ({ verb, resource, code, ms }) => {
    requests.inc({ verb, resource, code })
    if (verb !== 'watch') seconds.observe({ verb, resource }, ms / 1000)
  })
}
