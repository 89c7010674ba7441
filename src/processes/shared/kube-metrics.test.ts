import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createEmitter } from '../../kernel/index.ts'
import type { RequestEvents } from '../../kube/index.ts'
import { kubeMetrics } from './kube-metrics.ts'

test('requests are counted by verb, resource and code, and timed unless they are watches', async () => {
  const registry = new Registry()
  const emitter = createEmitter<RequestEvents>()
  kubeMetrics(registry, emitter)
  emitter.emit('kube:request', { verb: 'patch', resource: 'pods/status', code: 200, ms: 20 })
  emitter.emit('kube:request', { verb: 'patch', resource: 'pods/status', code: 409, ms: 30 })
  emitter.emit('kube:request', { verb: 'watch', resource: 'pods', code: 200, ms: 600_000 })
  const text = await registry.metrics()
  expect(text).toContain('caelus_kube_requests_total{verb="patch",resource="pods/status",code="200"} 1')
  expect(text).toContain('caelus_kube_requests_total{verb="patch",resource="pods/status",code="409"} 1')
  expect(text).toContain('caelus_kube_requests_total{verb="watch",resource="pods",code="200"} 1')
  expect(text).toContain('caelus_kube_request_duration_seconds_sum{verb="patch",resource="pods/status"} 0.05')
  expect(text).not.toContain('duration_seconds_sum{verb="watch"')
})
