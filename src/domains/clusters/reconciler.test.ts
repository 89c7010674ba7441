import { describe, expect, test } from 'vitest'
import { aborted, createEmitter, failureOf, manualClock, retryAfterOf, service, type Run } from '../../kernel/index.ts'
import type { ClustersEvents } from './events.ts'
import { raise } from './failures.ts'
import { exampleCluster as cluster, exampleSettings as settings } from './fake/example.ts'
import type { Gardener } from './gardener/gardener.ts'
import { OPERATION_ID, type Shoot } from './gardener/shoot.ts'
import { clusterKey } from './queue.ts'
import { clustersReconcile } from './reconciler.ts'
import type { ClusterEvent, LoadedCluster, SyncPatch } from './rows.ts'
import { summaryOf } from './shoot/summary.ts'
import { wantedShoot } from './shoot/wanted.ts'
import { READY_CONDITIONS } from './status.ts'
import type { Cluster, SyncState } from './types.ts'

const NOW = 100_000_000

const operation = { id: 'op1', kind: 'reconcile', requestedAt: NOW } as const

const draft = wantedShoot(cluster, settings, 'garden-p1')
/** As Gardener reports it, with these conditions False. */
const shootWith = (...broken: readonly string[]): Shoot => ({
  ...draft,
  metadata: { ...draft.metadata, uid: 'u1', generation: 1 },
  status: {
    observedGeneration: 1,
    lastOperation: { type: 'Reconcile', state: 'Succeeded', progress: 100, description: 'done' },
    conditions: READY_CONDITIONS.map((type) => ({ type, status: broken.includes(type) ? 'False' : 'True' })),
  },
})
/** Gardener was asked for the operation. */
const asked = (shoot: Shoot): Shoot => ({
  ...shoot,
  metadata: { ...shoot.metadata, annotations: { ...shoot.metadata.annotations, [OPERATION_ID]: operation.id } },
})
const READY = shootWith()
const FAILED = { type: 'Reconcile', state: 'Failed', progress: 40, description: 'it broke' }
const DEGRADED = shootWith('ControlPlaneHealthy')

const loaded = (over: { cluster?: Partial<Cluster>; sync?: Partial<SyncState> } = {}): LoadedCluster => ({
  cluster: { ...cluster, ...over.cluster },
  sync: {
    generation: 1,
    syncedGeneration: 1,
    syncedAt: 0,
    failure: null,
    attempts: 0,
    lastAttemptAt: null,
    status: 'ready',
    statusMessage: 'it runs',
    statusFailure: null,
    statusChangedAt: 0,
    shoot: summaryOf(READY),
    retries: 0,
    closedOperation: null,
    ...over.sync,
  },
})

interface World {
  /** What the watch shows. Absent: it is not current. */
  readonly watched?: Shoot
  readonly find?: () => Promise<Shoot | undefined>
  readonly apply?: () => Promise<Shoot>
}

/** Runs once. What was written, and how the run ended. */
async function reconciled(row: LoadedCluster, { watched, find, apply }: World, attempt = 0) {
  const written: { readonly patch: SyncPatch; readonly events: readonly ClusterEvent[] }[] = []
  const unexpected = (): never => expect.fail('this was not to be called')
  const watch = service('watch', async (signal, ready) => {
    ready()
    await aborted(signal)
  })
  const isCurrent = watched !== undefined
  const gardener: Gardener = {
    mode: 'mock',
    shoots: { ...watch, ofCluster: () => watched, all: unexpected, onChange: unexpected, isCurrent },
    ensureProject: unexpected,
    apply: apply ?? unexpected,
    dryRun: unexpected,
    annotate: async () => true,
    remove: unexpected,
    find: find ?? unexpected,
    list: find === undefined ? unexpected : async () => [(await find()) ?? READY],
    catalogue: unexpected,
    adminKubeconfig: unexpected,
    ping: unexpected,
  }
  const reconcile = clustersReconcile({
    gardener,
    rows: {
      load: async () => row,
      write: async (_id, _fence, patch, events) => written.push({ patch, events }) > 0,
    },
    settings,
    clock: manualClock(NOW),
    emitter: createEmitter<ClustersEvents>(),
  })
  const run: Run = {
    key: clusterKey(cluster.id),
    attempt,
    fence: 7,
    signal: new AbortController().signal,
    assertLeased: () => {},
    yieldPlace: () => false,
    decided: () => {},
  }
  const ended = await reconcile(run).catch((error: unknown) => ({
    code: failureOf(error).code,
    retryAfterMs: retryAfterOf(error),
  }))
  return { written, ended }
}

describe('what a step has begun with', () => {
  const asking = loaded({ cluster: { operation } })

  test('is not written as the status where it is over when the step has ended', async () => {
    const answers = [DEGRADED, asked(READY)]
    const { written, ended } = await reconciled(asking, { watched: DEGRADED, find: async () => answers.shift() })
    expect(ended).toEqual({ next: 'onChange' })
    expect(written).toHaveLength(1)
    const { patch, events = [] } = written[0] ?? {}
    expect(patch).toMatchObject({ status: 'ready', statusMessage: 'it runs', statusFailure: null })
    expect(patch?.shoot).toEqual(summaryOf(READY))
    expect(events.map(({ type }) => type)).toEqual(['status_error', 'sync_claimed', 'sync_succeeded', 'status_ready'])
  })

  test('is told once where it has stayed so', async () => {
    const answers = [DEGRADED, asked(DEGRADED)]
    const { written } = await reconciled(asking, { watched: DEGRADED, find: async () => answers.shift() })
    expect(written).toHaveLength(1)
    expect(written[0]?.patch).toMatchObject({ status: 'error', statusFailure: { code: 'ShootDegraded' } })
    expect(written[0]?.events.map(({ type }) => type)).toEqual(['status_error', 'sync_claimed', 'sync_succeeded'])
  })
})

describe('Gardener that does not answer', () => {
  const away = () => Promise.reject(raise.GardenerUnreachable('no answer', { retryAfterMs: 90_000 }))
  const waits = { code: 'GardenerUnreachable', retryAfterMs: 90_000 }

  test.each([
    ['written', loaded()],
    ['written, and its operation is over', loaded({ cluster: { operation }, sync: { closedOperation: 'op1' } })],
  ])('leaves a cluster to the poll that is %s', async (_, row) => {
    expect(await reconciled(row, { find: away })).toEqual({ written: [], ended: { next: 'onChange' } })
  })

  test.each([
    ['not written', loaded({ sync: { generation: 2 } })],
    ['to be deleted', loaded({ cluster: { deletedAt: 1 } })],
    ['asked for an operation', loaded({ cluster: { operation } })],
  ])('has a cluster tried again, more and more seldom, that is %s', async (_, row) => {
    const { written, ended } = await reconciled(row, { find: away }, 3)
    expect(ended).toEqual(waits)
    expect(written).toMatchObject([
      { patch: { failure: { code: 'GardenerUnreachable' } }, events: [{ type: 'sync_failed' }] },
    ])
    expect(written[0]?.patch).not.toHaveProperty('attempts')
    const { failure } = raise.GardenerUnreachable('another answer')
    const again = { ...row, sync: { ...row.sync, failure } }
    expect(await reconciled(again, { find: away }, 4)).toEqual({ written: [], ended: waits })
  })

  test('has what was begun tried again: it is in the history', async () => {
    const failed = { ...READY, status: { ...READY.status, lastOperation: FAILED } }
    const answers = [async () => failed, away]
    const find = () => answers.shift()?.() ?? expect.fail('this was not to be called')
    const { written, ended } = await reconciled(loaded(), { find })
    expect(ended).toEqual(waits)
    expect(written).toMatchObject([{ patch: { status: 'error', failure: { code: 'GardenerUnreachable' } } }])
    expect(written[0]?.events.map(({ type }) => type)).toEqual(['status_error', 'sync_claimed', 'sync_failed'])
  })

  test('has a change by hand undone later: the poll does not look while the watch is current', async () => {
    const drifted: Shoot = { ...READY, spec: { ...READY.spec, hibernation: { enabled: true } } }
    const { written, ended } = await reconciled(loaded(), { watched: drifted, apply: away })
    expect(ended).toEqual(waits)
    expect(written).toMatchObject([{ patch: { failure: { code: 'GardenerUnreachable' } } }])
  })
})
