import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { SHOOT_STATUSES, type ClustersEvents } from '../../domains/clusters/index.ts'
import type { Emitter } from '../../kernel/index.ts'
import type { Figures } from './figures.ts'

/** From one request to a busy API server. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/**
 * Counts and times the events of the clusters worker. Labels have few values: never an organization, a cluster or a Shoot.
 * `read` is called at every scrape; if it fails, the gauges have no value.
 */
export function clustersMetrics(
  registry: Registry,
  emitter: Emitter<ClustersEvents>,
  read: () => Promise<Figures>,
): () => void {
  const registers = [registry]
  const syncs = new Counter({
    name: 'caelus_clusters_syncs_total',
    help: 'Requests to Gardener about clusters, by step, outcome and, for failures, code.',
    labelNames: ['step', 'outcome', 'code'],
    registers,
  })
  const syncSeconds = new Histogram({
    name: 'caelus_clusters_sync_duration_seconds',
    help: 'Duration of such requests.',
    labelNames: ['step', 'outcome'],
    buckets: SECONDS,
    registers,
  })
  const scanned = new Counter({
    name: 'caelus_clusters_scanned_total',
    help: 'Clusters that full passes compared with their Shoots.',
    registers,
  })
  const woken = new Counter({
    name: 'caelus_clusters_scan_found_total',
    help: 'Clusters for which a full pass found something to do.',
    registers,
  })
  const scanSeconds = new Histogram({
    name: 'caelus_clusters_scan_duration_seconds',
    help: 'Duration of full passes.',
    buckets: SECONDS,
    registers,
  })
  const orphansRemoved = new Counter({
    name: 'caelus_clusters_orphans_removed_total',
    help: 'Shoots without a cluster that were deleted.',
    registers,
  })
  const orphansKept = new Gauge({
    name: 'caelus_clusters_orphans_kept',
    help: 'Shoots without a cluster that the last pass left alone because there were suspiciously many.',
    registers,
  })
  const watchCurrent = new Gauge({
    name: 'caelus_clusters_watch_current',
    help: '1 while this process sees every change of a Shoot.',
    registers,
  })
  const gardenerAway = new Counter({
    name: 'caelus_clusters_gardener_away_total',
    help: 'Requests that Gardener did not answer.',
    registers,
  })
  const figures = atMostOnce(read)
  const clusters = new Gauge({
    name: 'caelus_clusters',
    help: 'Clusters, by their status.',
    labelNames: ['status'],
    registers: [],
    async collect() {
      this.reset()
      const found = await figures()
      if (found === undefined) return
      for (const status of SHOOT_STATUSES) if (status !== 'deleted') this.set({ status }, found.statuses[status] ?? 0)
    },
  })
  const statusAge = new Gauge({
    name: 'caelus_clusters_status_age_seconds',
    help: 'Time since a worker last knew that every status is current.',
    labelNames: [],
    registers: [],
    async collect() {
      this.remove()
      const age = (await figures())?.statusAgeSeconds
      if (age !== undefined) this.set(age)
    },
  })
  registry.registerMetric(clusters)
  registry.registerMetric(statusAge)
  const stop = [
    emitter.on('clusters:step', ({ step, ms, failure }) => {
      const outcome = failure === undefined ? 'done' : 'failed'
      syncs.inc({ step, outcome, code: failure?.code ?? '' })
      syncSeconds.observe({ step, outcome }, ms / 1000)
    }),
    emitter.on('clusters:scanned', ({ clusters: count, woken: due, ms }) => {
      scanned.inc(count)
      woken.inc(due)
      scanSeconds.observe(ms / 1000)
    }),
    emitter.on('clusters:orphanRemoved', () => {
      orphansRemoved.inc()
      orphansKept.set(0)
    }),
    emitter.on('clusters:orphansKept', ({ shoots }) => orphansKept.set(shoots.length)),
    emitter.on('clusters:watch', ({ isCurrent }) => watchCurrent.set(isCurrent ? 1 : 0)),
    emitter.on('clusters:gardenerAway', () => gardenerAway.inc()),
  ]
  return () => stop.forEach((end) => end())
}

/** Both gauges of one scrape share an answer. Undefined: there is none. */
function atMostOnce(read: () => Promise<Figures>): () => Promise<Figures | undefined> {
  let asked: Promise<Figures | undefined> | undefined
  return () =>
    (asked ??= read().then(
      (figures) => ((asked = undefined), figures),
      () => (asked = undefined),
    ))
}
