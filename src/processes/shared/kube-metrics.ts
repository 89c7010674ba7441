import { Counter, Histogram, type Registry } from 'prom-client'
import type { Emitter } from '../../kernel/index.ts'
import type { RequestEvents } from '../../kube/index.ts'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/**
 * Counts and times the requests to the Kubernetes API server. A watch is counted when it closes, and not
 * timed.
 */
export function kubeMetrics(registry: Registry, emitter: Emitter<RequestEvents>): void {
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
  emitter.on('kube:request', ({ verb, resource, code, ms }) => {
    requests.inc({ verb, resource, code })
    if (verb !== 'watch') seconds.observe({ verb, resource }, ms / 1000)
  })
}
