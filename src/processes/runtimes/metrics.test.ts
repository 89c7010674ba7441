import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import type { ClassRuntime, RuntimesEvents } from '../../domains/runtimes/index.ts'
import { createEmitter } from '../../kernel/index.ts'
import { runtimesMetrics } from './metrics.ts'

const at = '2026-11-16T00:00:00Z'
const recommendation = (value: number) => ({ value, at, confidence: 1, basis: '' })
const condition = (type: string, status: 'True' | 'False') => ({
  type,
  status,
  reason: '',
  message: '',
  observedGeneration: 1,
  lastTransitionTime: at,
})

const runtime = (name: string, replicas: number, isAvailable: boolean): ClassRuntime => ({
  apiVersion: 'oaas.io/v1alpha1',
  kind: 'ClassRuntime',
  metadata: { name, namespace: 'shop' },
  spec: {},
  status: {
    nfr_recommendations: { 'replicas/add': recommendation(replicas), memory: recommendation(64) },
    conditions: [condition('Available', isAvailable ? 'True' : 'False')],
  },
})

test('events of the controller are counted, and statuses of runtimes are summed up, without their names', async () => {
  const registry = new Registry()
  const told = createEmitter<RuntimesEvents>()
  let seen = (): readonly ClassRuntime[] => [runtime('cart', 2, true), runtime('stock', 3, false)]
  runtimesMetrics(registry, told, () => seen())
  const enforced = { runtime: 'shop/cart', functionKey: 'add', dimension: 'replicas', from: 1, to: 2, ms: 20 } as const
  told.emit('runtimes:phase', { runtime: 'shop/cart', to: 'progressing', reason: '', message: '' })
  told.emit('runtimes:phase', { runtime: 'shop/cart', from: 'progressing', to: 'available', reason: '', message: '' })
  told.emit('runtimes:enforced', enforced)
  const failure = { code: 'RuntimeEnforceFailed', message: '', whoseMove: 'operator', retryable: true, nextStep: '' }
  told.emit('runtimes:enforced', { ...enforced, failure: { ...failure, whoseMove: 'operator' } })

  const page = await registry.metrics()
  for (const line of [
    'crm_phase_transitions_total{from="",to="progressing"} 1',
    'crm_phase_transitions_total{from="progressing",to="available"} 1',
    'crm_nfr_enforcement_apply_total{dimension="replicas"} 1',
    'crm_nfr_enforcement_fail_total{reason="RuntimeEnforceFailed"} 1',
    'crm_nfr_enforcement_latency_seconds_count 2',
    'crm_nfr_recommendation{dimension="replicas"} 5',
    'crm_nfr_recommendation{dimension="memory"} 128',
    'crm_conditions{type="Available",status="True"} 1',
    'crm_conditions{type="Available",status="False"} 1',
  ]) {
    expect(page).toContain(`${line}\n`)
  }
  expect(page).not.toMatch(/cart|stock|shop/)

  seen = () => {
    throw new Error('the control plane is unreachable')
  }
  expect(await registry.metrics()).not.toMatch(/crm_(conditions|nfr_recommendation)\{/)
})
