import { Counter, Histogram, type Registry } from 'prom-client'
import type { AppsEvents } from '../../domains/apps/index.ts'
import type { Emitter } from '../../kernel/index.ts'

/** From one read to the longest rollout. */
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600, 1800]

/**
 * Counts and times the events of the apps worker. Labels have few values: never a tenant, a deployment or an
 * object.
 */
export function appsMetrics(registry: Registry, emitter: Emitter<AppsEvents>): () => void {
  const registers = [registry]
  const steps = new Counter({
    name: 'caelus_apps_steps_total',
    help: 'Steps on deployments, by outcome and, for failures, code.',
    labelNames: ['step', 'outcome', 'code'],
    registers,
  })
  const stepSeconds = new Histogram({
    name: 'caelus_apps_step_duration_seconds',
    help: 'Duration of steps on deployments; Helm steps include the wait for health.',
    labelNames: ['step', 'outcome'],
    buckets: SECONDS,
    registers,
  })
  const looks = new Counter({
    name: 'caelus_apps_looks_total',
    help: 'Observations of deployments: `remembered` when nothing had changed since the last one, else `asked`.',
    labelNames: ['how'],
    registers,
  })
  const touched = new Counter({
    name: 'caelus_apps_touched_total',
    help: 'Objects of releases that another writer changed or deleted.',
    labelNames: ['how'],
    registers,
  })
  const unfenced = new Counter({
    name: 'caelus_apps_unfenced_total',
    help: 'Failed attempts to install the fence policy; workers claim nothing before it is installed.',
    registers,
  })
  const scanned = new Counter({
    name: 'caelus_apps_scanned_total',
    help: 'Deployments woken by drift scans.',
    registers,
  })
  const scanSeconds = new Histogram({
    name: 'caelus_apps_scan_duration_seconds',
    help: 'Duration of drift scans.',
    buckets: SECONDS,
    registers,
  })
  const stop = [
    emitter.on('apps:step', ({ step, ms, failure }) => {
      const outcome = failure === undefined ? 'done' : 'failed'
      steps.inc({ step, outcome, code: failure?.code ?? '' })
      stepSeconds.observe({ step, outcome }, ms / 1000)
    }),
    emitter.on('apps:looked', ({ isRemembered }) => looks.inc({ how: isRemembered ? 'remembered' : 'asked' })),
    emitter.on('apps:touched', ({ how }) => touched.inc({ how })),
    emitter.on('apps:unfenced', () => unfenced.inc()),
    emitter.on('apps:scanned', ({ deployments, ms }) => {
      scanned.inc(deployments)
      scanSeconds.observe(ms / 1000)
    }),
  ]
  return () => stop.forEach((end) => end())
}
