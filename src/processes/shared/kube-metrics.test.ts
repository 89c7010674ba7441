import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createEmitter } from '../../kernel/index.ts'
import type { ConnectionEvents, LeaderEvents, RequestEvents } from '../../kube/index.ts'
import { kubeMetrics } from './kube-metrics.ts'

test('requests are counted by verb, resource and code, and timed unless they are watches', async () => {
  const registry = new Registry()
  const emitter = createEmitter<RequestEvents & ConnectionEvents & LeaderEvents>()
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

test('silence of the API server and events of elections are counted', async () => {
  const registry = new Registry()
  const emitter = createEmitter<RequestEvents & ConnectionEvents & LeaderEvents>()
  kubeMetrics(registry, emitter)
  emitter.emit('kube:silent', { request: 'GET /version', ms: 3_000 })
  emitter.emit('kube:silent', { request: 'GET /version', ms: 9_000 })
  emitter.emit('kube:answering', { ms: 9_010, replaced: true })
  emitter.emit('kube:answering', { ms: 3_010, replaced: false })
  emitter.emit('leader:unreachable', { lease: 'caelus-system/caelus-runtimes', error: new Error('silent') })
  const text = await registry.metrics()
  expect(text).toContain('caelus_kube_silent_total 2')
  expect(text).toContain('caelus_kube_connections_replaced_total 1')
  expect(text).toContain('caelus_leader_events_total{lease="caelus-system/caelus-runtimes",event="unreachable"} 1')
})
