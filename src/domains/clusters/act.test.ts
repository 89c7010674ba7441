import { describe, expect, test } from 'vitest'
import { aborted, service } from '../../kernel/index.ts'
import { act } from './act.ts'
import { exampleCluster as cluster, exampleSettings as settings } from './fake/example.ts'
import type { FencedWrite, Gardener } from './gardener/gardener.ts'
import { CLUSTER_ID, type Shoot } from './gardener/shoot.ts'
import { liveOf } from './live.ts'
import type { Memory } from './observe.ts'
import type { LoadedCluster } from './rows.ts'
import { summaryOf } from './shoot/summary.ts'
import { wantedShoot } from './shoot/wanted.ts'
import type { Effect } from './steps.ts'

const draft = wantedShoot(cluster, settings, 'garden-p1')
const OWN: Shoot = { ...draft, metadata: { ...draft.metadata, uid: 'u1', generation: 1 } }
/** Somebody has made another Shoot of the name. */
const FOREIGN: Shoot = {
  ...OWN,
  metadata: { ...OWN.metadata, uid: 'u9', labels: { [CLUSTER_ID]: '0190aaaa-0000-7000-8000-0000000000c9' } },
}
const UNLABELLED: Shoot = { ...FOREIGN, metadata: { ...FOREIGN.metadata, labels: {} } }
/** Made anew by another worker. */
const SUCCESSOR: Shoot = { ...OWN, metadata: { ...OWN.metadata, uid: 'u2' } }
const withOperation = (state: string): Shoot => ({
  ...OWN,
  status: {
    observedGeneration: 1,
    lastOperation: { type: 'Reconcile', state, progress: 40, description: 'it failed' },
  },
})

const loaded: LoadedCluster = {
  cluster,
  sync: {
    generation: 1,
    syncedGeneration: 1,
    syncedAt: 0,
    failure: null,
    attempts: 0,
    lastAttemptAt: null,
    status: 'ready',
    statusMessage: null,
    statusFailure: null,
    statusChangedAt: 0,
    shoot: summaryOf(OWN),
    retries: 0,
    closedOperation: null,
  },
}

/** What is known after a step, taken on `seen` while the server answers with `there`, one after the other. */
async function acted(step: Effect, seen: Shoot, ...there: readonly (Shoot | undefined)[]) {
  const [answers, annotated]: [(Shoot | undefined)[], string[]] = [[...there], []]
  const unexpected = (): never => expect.fail('this was not to be called')
  const watch = service('watch', async (signal, ready) => {
    ready()
    await aborted(signal)
  })
  const gardener: Gardener = {
    mode: 'mock',
    shoots: { ...watch, ofCluster: unexpected, all: unexpected, onChange: unexpected, isCurrent: true },
    ensureProject: unexpected,
    apply: unexpected,
    dryRun: unexpected,
    annotate: async ({ metadata }) => annotated.push(metadata.uid ?? '') > 0,
    remove: async () => true,
    find: async () => answers.shift(),
    list: unexpected,
    catalogue: unexpected,
    adminKubeconfig: unexpected,
    ping: unexpected,
  }
  const memory: Memory = { isApplied: false }
  const write: FencedWrite = { fence: 1, assertLeased: () => {}, signal: new AbortController().signal }
  const observed = { is: 'present', live: liveOf(seen), drift: [] } as const
  const observation = {
    shoot: seen,
    draft: undefined,
    seen: { shoot: observed, namespace: { is: 'known', name: 'garden-p1' }, isApplied: false },
  } as const
  const isDone = await act({ gardener, settings }, step, { loaded, observation, memory, write })
  return { isDone, annotated, uid: memory.shoot?.metadata.uid ?? null }
}

describe('a Shoot of somebody else that has taken the name', () => {
  test.each([
    ['of another cluster', FOREIGN],
    ['without a label', UNLABELLED],
  ])('is not taken for the one that was removed: %s', async (_, there) => {
    expect(await acted({ do: 'remove' }, OWN, there)).toEqual({ isDone: true, annotated: [], uid: null })
    expect(await acted({ do: 'remove' }, OWN, SUCCESSOR)).toMatchObject({ uid: 'u2' })
  })

  test.each([
    ['of another cluster', FOREIGN],
    ['without a label', UNLABELLED],
  ])('is asked for no operation, and is not observed: %s', async (_, there) => {
    const step = { do: 'operate', operation: 'reconcile', by: 'person', id: 'op1' } as const
    expect(await acted(step, OWN, there)).toEqual({ isDone: false, annotated: [], uid: null })
    // It came after the operation was asked for.
    expect(await acted(step, OWN, OWN, there)).toEqual({ isDone: true, annotated: ['u1'], uid: null })
    expect(await acted(step, OWN, OWN, OWN)).toEqual({ isDone: true, annotated: ['u1'], uid: 'u1' })
  })
})

describe('an operation is decided again', () => {
  const rotate = { do: 'operate', operation: 'rotate-credentials-start', by: 'person', id: 'op1' } as const

  test('where the Shoot was made anew', async () => {
    expect(await acted(rotate, OWN, SUCCESSOR)).toEqual({ isDone: false, annotated: [], uid: 'u2' })
  })

  test('where Gardener has given up, or has gone on, since it was observed', async () => {
    const [failed, running] = [withOperation('Failed'), withOperation('Processing')]
    expect(await acted(rotate, running, failed)).toMatchObject({ isDone: false, annotated: [] })
    const retry = { do: 'operate', operation: 'retry', by: 'person', id: 'op1' } as const
    expect(await acted(retry, failed, running)).toMatchObject({ isDone: false, annotated: [] })
    expect(await acted(retry, failed, failed, running)).toMatchObject({ isDone: true, annotated: ['u1'] })
  })
})
