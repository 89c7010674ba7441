import { Counter, Histogram, type Registry } from 'prom-client'
import type { AppsEvents } from '../../domains/apps/index.ts'
import type { Emitter } from '../../kernel/index.ts'

/** From a look at one object to a rollout that waits as long as it may. */
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600, 1800]

/** Counts and times what the apps worker tells. Labels are words of ours: never a tenant, a deployment or an object. */
export function appsMetrics(registry: Registry, told: Emitter<AppsEvents>): () => void {
  const registers = [registry]
  const steps = new Counter({
    name: 'caelus_apps_steps_total',
    help: 'Steps that were taken on deployments, by outcome and, for failures, code.',
    labelNames: ['step', 'outcome', 'code'],
    registers,
  })
  const stepSeconds = new Histogram({
    name: 'caelus_apps_step_duration_seconds',
    help: 'How long steps on deployments took; those of Helm include the wait until it is healthy.',
    labelNames: ['step', 'outcome'],
    buckets: SECONDS,
    registers,
  })
  const looks = new Counter({
    name: 'caelus_apps_looks_total',
    help: 'Looks at deployments: `remembered` when nothing had been touched and so nobody was asked, else `asked`.',
    labelNames: ['how'],
    registers,
  })
  const touched = new Counter({
    name: 'caelus_apps_touched_total',
    help: 'Objects of releases that somebody else changed or deleted.',
    labelNames: ['how'],
    registers,
  })
  const unfenced = new Counter({
    name: 'caelus_apps_unfenced_total',
    help: 'Times the policy that makes fences hold could not be installed; no worker begins before it is.',
    registers,
  })
  const scanned = new Counter({
    name: 'caelus_apps_scanned_total',
    help: 'Deployments that scans for drift have woken.',
    registers,
  })
  const scanSeconds = new Histogram({
    name: 'caelus_apps_scan_duration_seconds',
    help: 'How long scans for drift took.',
    buckets: SECONDS,
    registers,
  })
  const stop = [
    told.on('apps:step', ({ step, ms, failure }) => {
      const outcome = failure === undefined ? 'done' : 'failed'
      steps.inc({ step, outcome, code: failure?.code ?? '' })
      stepSeconds.observe({ step, outcome }, ms / 1000)
    }),
    told.on('apps:looked', ({ isRemembered }) => looks.inc({ how: isRemembered ? 'remembered' : 'asked' })),
    told.on('apps:touched', ({ how }) => touched.inc({ how })),
    told.on('apps:unfenced', () => unfenced.inc()),
    told.on('apps:scanned', ({ deployments, ms }) => {
      scanned.inc(deployments)
      scanSeconds.observe(ms / 1000)
    }),
  ]
  return () => stop.forEach((end) => end())
}
