import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import type { ClustersEvents } from '../../domains/clusters/index.ts'
import { createEmitter, type Failure } from '../../kernel/index.ts'
import type { Figures } from './figures.ts'
import { clustersMetrics } from './metrics.ts'

const failure: Failure = {
  code: 'ShootRefused',
  message: 'prod is refused',
  whoseMove: 'user',
  retryable: true,
  nextStep: 'Wait.',
}

function world(read: () => Promise<Figures> = async () => ({ statuses: {}, statusAgeSeconds: undefined })) {
  const registry = new Registry()
  const told = createEmitter<ClustersEvents>()
  clustersMetrics(registry, told, read)
  return { registry, told }
}

test('steps are counted and timed by name, outcome and code, and the watch and orphans are told', async () => {
  const { registry, told } = world()
  told.emit('clusters:step', { cluster: 'c1', step: 'apply', ms: 70 })
  told.emit('clusters:step', { cluster: 'c1', step: 'apply', ms: 61_000, failure })
  told.emit('clusters:scanned', { clusters: 12, woken: 2, ms: 90 })
  told.emit('clusters:orphansKept', { failure, shoots: ['a/b', 'a/c'] })
  told.emit('clusters:watch', { isCurrent: true })
  told.emit('clusters:gardenerAway', { error: new Error('refused') })
  const page = await registry.metrics()
  for (const line of [
    'caelus_clusters_syncs_total{step="apply",outcome="done",code=""} 1',
    'caelus_clusters_syncs_total{step="apply",outcome="failed",code="ShootRefused"} 1',
    'caelus_clusters_sync_duration_seconds_bucket{le="0.1",step="apply",outcome="done"} 1',
    'caelus_clusters_sync_duration_seconds_bucket{le="60",step="apply",outcome="failed"} 0',
    'caelus_clusters_scanned_total 12',
    'caelus_clusters_scan_found_total 2',
    'caelus_clusters_scan_duration_seconds_sum 0.09',
    'caelus_clusters_orphans_kept 2',
    'caelus_clusters_watch_current 1',
    'caelus_clusters_gardener_away_total 1',
  ]) {
    expect(page).toContain(line)
  }
  told.emit('clusters:orphanRemoved', { shoot: 'a/b', cluster: 'c2' })
  told.emit('clusters:watch', { isCurrent: false })
  const later = await registry.metrics()
  expect(later).toContain('caelus_clusters_orphans_kept 0')
  expect(later).toContain('caelus_clusters_orphans_removed_total 1')
  expect(later).toContain('caelus_clusters_watch_current 0')
})

test('statuses and their age are read once per scrape, and absent when they cannot be', async () => {
  let reads = 0
  let isAway = false
  const { registry } = world(async () => {
    reads += 1
    if (isAway) throw new Error('away')
    return { statuses: { ready: 3, error: 1 }, statusAgeSeconds: 2.5 }
  })
  const page = await registry.metrics()
  expect(reads).toBe(1)
  for (const line of [
    'caelus_clusters{status="ready"} 3',
    'caelus_clusters{status="error"} 1',
    'caelus_clusters{status="pending"} 0',
    'caelus_clusters_status_age_seconds 2.5',
  ]) {
    expect(page).toContain(line)
  }
  isAway = true
  expect(await registry.metrics()).not.toMatch(/^caelus_clusters(_status_age_seconds)?[ {]/m)
})

test('no label grows with the number of clusters', async () => {
  const { registry, told } = world()
  for (let n = 0; n < 50; n++) {
    told.emit('clusters:step', { cluster: `ada-${n}`, step: 'remove', ms: n })
    told.emit('clusters:step', { cluster: `ada-${n}`, step: 'apply', ms: n, failure: { ...failure, message: 'ada' } })
  }
  const page = await registry.metrics()
  expect(page).not.toContain('ada')
  expect(page.split('\n').filter((line) => line.startsWith('caelus_clusters_syncs_total{'))).toHaveLength(2)
})
