import { expect, test } from 'vitest'
import { createEmitter, manualClock, seededRandom, type Run } from '../../kernel/index.ts'
import { FakeKubernetes } from '../../kube/fake/index.ts'
import { makeClient, type KubeObject } from '../../kube/index.ts'
import type { WorkloadWatch } from './drift/watch.ts'
import type { AppsEvents } from './events.ts'
import { installFence } from './fence.ts'
import type { Observation } from './observe.ts'
import { NO_DRIFT } from './observed.ts'
import type { AppsParts } from './parts.ts'
import { appsReconcile } from './reconciler.ts'
import type { LoadedDeployment } from './rows.ts'
import { masker } from './values/redaction.ts'

const WEB: KubeObject = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'ns', name: 'web' } }

const absent = {
  namespace: { is: 'absent' },
  release: { is: 'absent' },
  health: { is: 'ready' },
  drift: NO_DRIFT,
} as const
const empty = { ...absent, namespace: { is: 'active' } } as const
const installed = { ...empty, release: { is: 'deployed', updatedAt: 0, revision: 1, digest: 'd', claims: [] } } as const

/** A first order whose Helm succeeds at once, and what happens in which order. */
function firstOrder({ isHealthy = false, canYield = true }) {
  const happened: string[] = []
  const clock = manualClock()
  const client = makeClient(new FakeKubernetes({ clock, random: seededRandom(1) }).transport(), { fieldManager: 'c' })
  const deployment = {
    id: '1',
    userId: '2',
    namespaceName: 'ns',
    releaseName: 'web',
    status: 'pending',
    lastError: null,
    unrepairable: [],
    clusterId: null,
    suspendedAt: null,
    generation: 1,
    retries: 0,
    rollout: null,
    deletedAt: null,
    appliedTemplateId: null,
  }
  const rows = {
    load: async () => ({ deployment, template: { chartDigest: null } }) as unknown as LoadedDeployment,
    write: async (_id: string, _fence: number, patch: object) => Object.assign(deployment, patch) !== undefined,
  }
  const lock = { target: 'ns', fence: 1, renew: async () => true, release: async () => {} }
  const helm = {
    async install() {
      happened.push('install')
      return { revision: 1, objects: [WEB] }
    },
  }
  const seen = [absent, empty, installed]
  const observe = async (_loaded: unknown, { isEmpty }: { readonly isEmpty?: boolean } = {}) => {
    happened.push(isEmpty === true ? 'look at an empty namespace' : 'look')
    const wanted = { digest: 'd', healthTimeoutMs: 60_000, claims: [] }
    const plan = { values: {}, digest: 'd' }
    return { mask: masker([]), plan, wanted, seen: seen.shift(), isRemembered: false } as unknown as Observation
  }
  const workloads: WorkloadWatch = {
    expectChanges: () => () => {},
    areHealthy: () => isHealthy,
    async untilHealthy([object], ms) {
      happened.push(`wait for ${object?.metadata.name} up to ${ms} ms`)
    },
  }
  const locks = { acquire: async () => ({ held: true, lock }) }
  const charts = { fetch: async () => ({}) }
  const reconcile = appsReconcile({
    parts: { rows, clock, locks, client, helm, charts, settings: {} } as unknown as AppsParts,
    observer: { observe },
    workloads,
    events: { record: () => {}, flush: async () => {} },
    emitter: createEmitter<AppsEvents>(),
    backoff: { baseMs: 1_000, capMs: 8_000 },
  })
  const run: Run = {
    key: { kind: 'Deployment', id: '1' },
    attempt: 1,
    fence: 7,
    signal: new AbortController().signal,
    assertLeased: () => {},
    yieldPlace: () => canYield,
    decided: () => {},
  }
  const outcome = async () => {
    await installFence(client)
    const over = new AbortController()
    const ending = reconcile(run).finally(() => over.abort())
    while (!over.signal.aborted) await clock.advance(10)
    return ending
  }
  return { happened, outcome }
}

const BEGINNING = ['look', 'look at an empty namespace', 'install']

test('what starts soon is waited for in the run, without a place, and then looked at once', async () => {
  const { happened, outcome } = firstOrder({})
  expect(await outcome()).toEqual({ next: 'onChange' })
  expect(happened).toEqual([...BEGINNING, 'wait for web up to 3000 ms', 'look'])
})

test('what is healthy already is not waited for', async () => {
  const { happened, outcome } = firstOrder({ isHealthy: true })
  await outcome()
  expect(happened).toEqual([...BEGINNING, 'look'])
})

test('a run that must keep its place does not wait: a later run looks', async () => {
  const { happened, outcome } = firstOrder({ canYield: false })
  expect(await outcome()).toMatchObject({ ms: 3_000, because: 'its workloads are starting' })
  expect(happened).toEqual(BEGINNING)
})
