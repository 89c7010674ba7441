import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import type { AppsEvents } from '../../domains/apps/index.ts'
import { createEmitter, type Failure } from '../../kernel/index.ts'
import { appsMetrics } from './metrics.ts'

const failure: Failure = {
  code: 'NeverHealthy',
  message: 'web-ada-1 is not healthy',
  whoseMove: 'operator',
  retryable: true,
  nextStep: 'Wait.',
}

function world() {
  const registry = new Registry()
  const told = createEmitter<AppsEvents>()
  appsMetrics(registry, told)
  return { registry, told }
}

test('steps are counted and timed by name, outcome and code', async () => {
  const { registry, told } = world()
  told.emit('apps:step', { deployment: 'web-ada-1', step: 'install', ms: 700 })
  told.emit('apps:step', { deployment: 'web-ada-1', step: 'install', ms: 61_000, failure })
  told.emit('apps:looked', { deployment: 'web-ada-1', isRemembered: true })
  told.emit('apps:touched', { deployment: 'web-ada-1', object: 'Service/web', how: 'deleted' })
  told.emit('apps:unfenced', { error: new Error('refused') })
  told.emit('apps:scanned', { deployments: 12, ms: 90 })
  const page = await registry.metrics()
  for (const line of [
    'caelus_apps_steps_total{step="install",outcome="done",code=""} 1',
    'caelus_apps_steps_total{step="install",outcome="failed",code="NeverHealthy"} 1',
    'caelus_apps_step_duration_seconds_bucket{le="1",step="install",outcome="done"} 1',
    'caelus_apps_step_duration_seconds_bucket{le="60",step="install",outcome="failed"} 0',
    'caelus_apps_looks_total{how="remembered"} 1',
    'caelus_apps_touched_total{how="deleted"} 1',
    'caelus_apps_unfenced_total 1',
    'caelus_apps_scanned_total 12',
    'caelus_apps_scan_duration_seconds_sum 0.09',
  ]) {
    expect(page).toContain(line)
  }
})

test('no label grows with the number of tenants', async () => {
  const { registry, told } = world()
  for (let n = 0; n < 50; n++) {
    const deployment = `web-ada-${n}`
    told.emit('apps:step', { deployment, step: 'repairObjects', ms: n })
    told.emit('apps:step', { deployment, step: 'install', ms: n, failure: { ...failure, message: deployment } })
    told.emit('apps:touched', { deployment, object: `Service/${deployment}`, how: 'changed' })
  }
  const page = await registry.metrics()
  expect(page).not.toContain('ada')
  expect(page.split('\n').filter((line) => line.startsWith('caelus_apps_steps_total{'))).toHaveLength(2)
})
