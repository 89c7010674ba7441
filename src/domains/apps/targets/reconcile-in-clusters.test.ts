import { expect, test } from 'vitest'
import { createEmitter, FailureError, manualClock, type Outcome, type Run } from '../../../kernel/index.ts'
import type { AppsEvents } from '../events.ts'
import { raise } from '../failures.ts'
import type { Observation } from '../observe.ts'
import { NO_DRIFT } from '../observed.ts'
import type { AppsParts } from '../parts.ts'
import { appsReconcile, type ReconcileTarget, type ReconcileTargets } from '../reconciler.ts'
import type { LoadedDeployment } from '../rows.ts'
import { masker } from '../values/redaction.ts'
import { awayOf, ClusterAway, waiting } from './away.ts'

const silence = new FailureError({
  code: 'KubeUnreachable',
  message: 'failed to GET /version: connect ECONNREFUSED',
  whoseMove: 'platform',
  retryable: true,
  nextStep: '',
})

const FINE = {
  mask: masker([]),
  plan: { values: {}, digest: 'd' },
  wanted: { digest: 'd', healthTimeoutMs: 1, claims: [] },
  seen: {
    namespace: { is: 'active' },
    release: { is: 'deployed', digest: 'd', revision: 1, claims: [], updatedAt: 0 },
    health: { is: 'ready' },
    drift: NO_DRIFT,
  },
  record: undefined,
  isRemembered: false,
} as unknown as Observation

interface SceneOptions {
  readonly clusterId?: string | null
  readonly deletedAt?: number | null
  /** What the registry answers. @default a target */
  readonly used?: 'gone' | Error
  /** What looking into the cluster answers. */
  readonly observed?: Observation | Error
  readonly hasClusters?: boolean
}

function scene(options: SceneOptions = {}) {
  const { clusterId = 'c1', deletedAt = null, used, observed = FINE, hasClusters = true } = options
  const deployment = {
    id: '1',
    namespaceName: 'ns',
    status: deletedAt === null ? 'upgrading' : 'deleting',
    lastError: null,
    unrepairable: [],
    // No key opens them: what is to be done does not depend on them.
    sealedValues: { '/password': 'sealed' },
    userValues: {},
    clusterId,
    suspendedAt: null,
    generation: 2,
    observedGeneration: 1,
    retries: 0,
    rollout: null,
    deletedAt,
  }
  const template = { deletedAt: null, healthTimeoutSec: 1 }
  const written: Record<string, unknown>[] = []
  const looks: string[] = []
  const log: string[] = []
  const rows = {
    load: async () => ({ deployment, template }) as unknown as LoadedDeployment,
    write: async (_: string, fence: number, patch: object) => written.push({ fence, ...patch }) > 0,
  }
  const target = (name: string, answer: Observation | Error): ReconcileTarget => ({
    parts: { rows, clock: manualClock(), settings: { ingressClass: '', digestSalt: '' } } as unknown as AppsParts,
    observer: {
      async observe() {
        looks.push(name)
        if (answer instanceof Error) throw answer
        return answer
      },
    },
    events: { record: () => {}, flush: async () => {} },
  })
  const clusters: ReconcileTargets = {
    async use(id, patience) {
      log.push(`use ${id}, patient for ${patience()}`)
      if (used instanceof Error) throw used
      if (used === 'gone') return 'gone'
      return {
        target: target('cluster', observed),
        away(error) {
          log.push('away')
          return awayOf(id, error)
        },
        [Symbol.dispose]: () => void log.push('left'),
      }
    },
  }
  const reconcile = appsReconcile({
    ...target('platform', FINE),
    ...(hasClusters && { clusters }),
    emitter: createEmitter<AppsEvents>(),
    backoff: { baseMs: 1_000, capMs: 8_000 },
  })
  const run = (yieldPlace = true): Promise<Outcome> =>
    reconcile({
      key: { kind: 'Deployment', id: '1' },
      attempt: 0,
      fence: 7,
      signal: new AbortController().signal,
      assertLeased: () => {},
      yieldPlace: () => yieldPlace,
      decided: () => {},
    } satisfies Run)
  return { run, written, looks, log }
}

test('a deployment is looked at where it is', async () => {
  const platform = scene({ clusterId: null })
  expect(await platform.run()).toEqual({ next: 'onChange' })
  expect([platform.looks, platform.log]).toEqual([['platform'], []])
  const cluster = scene()
  expect(await cluster.run()).toEqual({ next: 'onChange' })
  expect([cluster.looks, cluster.log]).toEqual([['cluster'], ['use c1, patient for 10000', 'left']])
})

test('a run that cannot give its place away does not wait for a connection', async () => {
  const { run, log } = scene()
  await run(false)
  expect(log[0]).toBe('use c1, patient for 0')
})

const away = new ClusterAway(
  raise.ClusterUnreachable('cluster c1: its Shoot is being created (ClusterNotReady)').failure,
)

test.each<[string, SceneOptions, string]>([
  ['cannot be used', { used: away }, 'cluster c1: its Shoot is being created (ClusterNotReady)'],
  [
    'does not answer',
    { observed: silence },
    'cluster c1: failed to GET /version: connect ECONNREFUSED (KubeUnreachable)',
  ],
  [
    'does not answer Helm',
    { observed: { ...FINE, wanted: { problem: raise.ControlPlaneUnreachable('no route').failure } } },
    'cluster c1: no route (ControlPlaneUnreachable)',
  ],
  [
    'gives Helm no credentials',
    { observed: { ...FINE, wanted: { problem: away.failure } } },
    'cluster c1: its Shoot is being created (ClusterNotReady)',
  ],
  [
    'is of no use to this worker',
    { hasClusters: false },
    'cluster c1: this worker is not connected to clusters (ClusterUnreachable)',
  ],
])('a cluster that %s is waited for, and costs no attempt', async (_, options, message) => {
  const { run, written } = scene(options)
  expect(await run()).toEqual({ next: 'after', ms: 5_000, because: message })
  expect(written.at(-1)).toMatchObject({ lastError: { code: 'ClusterUnreachable', message }, nextReconcileAt: 5_000 })
  expect(written.at(-1)).not.toHaveProperty('status', 'error')
})

test('one that is away for long says how long to wait for it', async () => {
  const { run, written } = scene({ used: waiting(away, 120_000) })
  expect(await run()).toEqual({ next: 'after', ms: 120_000, because: away.message })
  expect(written.at(-1)).toMatchObject({ lastError: { code: 'ClusterUnreachable' }, nextReconcileAt: 120_000 })
})

test.each([
  ['does not answer', silence],
  ['gives no credentials', away],
])('one that %s is told to the others', async (_, observed) => {
  const { run, log } = scene({ observed })
  await run()
  expect(log.slice(1)).toEqual(['away', 'left'])
})

test('what fails in a cluster for another reason is a failure as anywhere', async () => {
  const { run, log } = scene({ observed: raise.QuotaExceeded('too much') })
  await expect(run()).rejects.toMatchObject({ failure: { code: 'QuotaExceeded' } })
  expect(log.slice(1)).toEqual(['left'])
})

test('a deletion is done once the cluster is gone, and an app that nobody deleted is not', async () => {
  const deleted = scene({ used: 'gone', deletedAt: 1 })
  expect(await deleted.run()).toEqual({ next: 'onChange' })
  expect(deleted.written.at(-1)).toMatchObject({ fence: 7, status: 'deleted' })
  const living = scene({ used: 'gone' })
  await expect(living.run()).rejects.toMatchObject({ failure: { code: 'ClusterGone', retryable: false } })
  expect(living.written.at(-1)).toMatchObject({ status: 'error', lastError: { code: 'ClusterGone' } })
  expect(living.looks).toEqual([])
})
