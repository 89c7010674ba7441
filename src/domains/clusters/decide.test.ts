import { describe, expect, it, test } from 'vitest'
import { replayed } from '../../../test/support/replay.ts'
import { decide as decideOnce, OPERATION_LIFE_MS, type DecideInput } from './decide.ts'
import { raise } from './failures.ts'
import type { LiveShoot, NamespaceSeen, Observed } from './observed.ts'
import { replays } from './replay.ts'
import type { StepName } from './steps.ts'
import type { Operation, ShootStatus } from './types.ts'

const NOW = 100_000_000
const MINUTE = 60_000

/** Every case also replays to the same answer from its record. */
const decide: typeof decideOnce = (given, now) => {
  const decision = decideOnce(given, now)
  expect(replayed('clusters', { input: given, decision, at: now }, replays)).toEqual({ is: 'same' })
  return decision
}

const condition = (type: string, status: string) => ({ type, status, reason: 'Reason', message: 'why', since: null })
const healthy = ['APIServerAvailable', 'ControlPlaneHealthy', 'SystemComponentsHealthy'].map((type) =>
  condition(type, 'True'),
)
const operation = (state: string, type = 'Reconcile') => ({
  type,
  state,
  progress: 40,
  description: 'Deploying etcd',
  updatedAt: NOW - 1_000,
})

const READY: LiveShoot = {
  namespace: 'garden-p1',
  name: 'c1',
  uid: 'u1',
  kubernetesVersion: '1.34.3',
  isHibernated: false,
  operation: operation('Succeeded'),
  conditions: healthy,
  errors: [],
  rotation: {},
  createdAt: NOW - 10 * MINUTE,
  isDeleting: false,
  generation: 3,
  observedGeneration: 3,
  isToHibernate: false,
  operationId: null,
}

const shoots = {
  absent: undefined,
  untouched: { ...READY, operation: null, observedGeneration: null, conditions: [] },
  unobserved: { ...READY, observedGeneration: 2 },
  pending: { ...READY, operation: operation('Pending') },
  processing: { ...READY, operation: operation('Processing') },
  erroneous: { ...READY, operation: operation('Error') },
  failed: { ...READY, operation: operation('Failed') },
  aborted: { ...READY, operation: operation('Aborted') },
  ready: READY,
  starting: { ...READY, conditions: [] },
  unknown: { ...READY, conditions: [condition('APIServerAvailable', 'Unknown'), ...healthy.slice(1)] },
  degraded: { ...READY, conditions: [...healthy.slice(0, 2), condition('SystemComponentsHealthy', 'False')] },
  goingToSleep: { ...READY, isToHibernate: true },
  asleep: { ...READY, isToHibernate: true, isHibernated: true, conditions: [] },
  wakingUp: { ...READY, isHibernated: true },
  deletionUnobserved: { ...READY, isDeleting: true, generation: 4 },
  deleting: { ...READY, isDeleting: true, operation: operation('Processing', 'Delete') },
  deletionErroneous: { ...READY, isDeleting: true, operation: operation('Error', 'Delete') },
  deletionFailed: { ...READY, isDeleting: true, operation: operation('Failed', 'Delete') },
} as const satisfies Record<string, LiveShoot | undefined>
type ShootCase = keyof typeof shoots

const present = (live: LiveShoot, drift: readonly string[] = []): Observed['shoot'] => ({ is: 'present', live, drift })

interface Over {
  readonly cluster?: Partial<DecideInput['cluster']>
  readonly sync?: Partial<DecideInput['sync']>
  readonly seen?: Partial<Observed>
}

const input = ({ cluster, sync, seen }: Over = {}): DecideInput => ({
  cluster: { operation: null, deletedAt: null, ...cluster },
  sync: {
    generation: 2,
    syncedGeneration: 2,
    status: 'progressing',
    statusMessage: null,
    statusChangedAt: NOW - MINUTE,
    retries: 0,
    closedOperation: null,
    ...sync,
  },
  seen: { shoot: present(READY), namespace: { is: 'known', name: 'garden-p1' }, isApplied: false, ...seen },
})

type Cell = readonly [StepName, ShootStatus]
const all = (of: (name: ShootCase) => Cell): Record<ShootCase, Cell> =>
  Object.fromEntries(Object.keys(shoots).map((name) => [name, of(name as ShootCase)])) as Record<ShootCase, Cell>

const DELETING: ReadonlySet<string> = new Set(['deletionUnobserved', 'deleting', 'deletionErroneous', 'deletionFailed'])

/** No Partial: forget a cell and it does not compile. */
const SYNCED: Record<ShootCase, Cell> = {
  absent: ['apply', 'progressing'],
  untouched: ['nothing', 'progressing'],
  unobserved: ['nothing', 'progressing'],
  pending: ['nothing', 'progressing'],
  processing: ['nothing', 'progressing'],
  erroneous: ['nothing', 'error'],
  failed: ['waitFor', 'error'],
  aborted: ['nothing', 'error'],
  ready: ['nothing', 'ready'],
  starting: ['nothing', 'progressing'],
  unknown: ['nothing', 'progressing'],
  degraded: ['nothing', 'error'],
  goingToSleep: ['nothing', 'progressing'],
  asleep: ['nothing', 'ready'],
  wakingUp: ['nothing', 'progressing'],
  deletionUnobserved: ['waitFor', 'deleting'],
  deleting: ['waitFor', 'deleting'],
  deletionErroneous: ['waitFor', 'error'],
  deletionFailed: ['waitFor', 'error'],
}

/** What is not written is not ready; what somebody deletes is waited for. */
const written = (step: StepName): Record<ShootCase, Cell> =>
  all((name) => {
    const [before, status] = SYNCED[name]
    if (name === 'absent') return [before, status]
    return DELETING.has(name) ? [before, status] : [step, status === 'ready' ? 'progressing' : status]
  })

const WORLDS: Record<'synced' | 'outdated' | 'drifted' | 'unwantable' | 'deleted', Record<ShootCase, Cell>> = {
  synced: SYNCED,
  outdated: written('apply'),
  drifted: written('apply'),
  unwantable: {
    ...all((name) => (DELETING.has(name) ? SYNCED[name] : ['refuse', SYNCED[name][1]])),
    absent: ['refuse', 'progressing'],
  },
  deleted: {
    ...all(() => ['remove', 'deleting']),
    absent: ['forget', 'deleting'],
    deletionUnobserved: ['nothing', 'deleting'],
    deleting: ['nothing', 'deleting'],
    deletionErroneous: ['nothing', 'error'],
    deletionFailed: ['waitFor', 'error'],
  },
}

const worldOf = (world: string, live: LiveShoot | undefined): DecideInput => {
  const shoot: Observed['shoot'] =
    live === undefined ? { is: 'absent' } : present(live, world === 'drifted' ? ['spec.region'] : [])
  return input({
    cluster: { deletedAt: world === 'deleted' ? NOW : null },
    sync: { syncedGeneration: world === 'outdated' ? 1 : 2 },
    seen: { shoot, ...(world === 'unwantable' && { problem: raise.GardenerMisconfigured('no room').failure }) },
  })
}

const cells = Object.entries(WORLDS).flatMap(([world, byShoot]) =>
  Object.entries(byShoot).map(([shoot, [step, status]]) => ({ world, shoot: shoot as ShootCase, step, status })),
)

describe('decide', () => {
  it.each(cells)('$world, Shoot $shoot: $step, $status', ({ world, shoot, step, status }) => {
    const decision = decide(worldOf(world, shoots[shoot]), NOW)
    expect([decision.step.do, decision.truth.status]).toEqual([step, status])
    // A status has a failure exactly if it is an error.
    expect(decision.truth.failure !== null).toBe(status === 'error')
  })

  it('says why the Shoot is written, and which fields differ', () => {
    const of = (over: Over): unknown => decide(input(over), NOW).step
    const shoot = present(READY, ['spec.region'])
    expect(of({ seen: { shoot: { is: 'absent' } } })).toEqual({ do: 'apply', why: 'missing', fields: [] })
    expect(of({ seen: { shoot } })).toEqual({ do: 'apply', why: 'drift', fields: ['spec.region'] })
    expect(of({ seen: { shoot }, sync: { generation: 3 } })).toEqual({
      do: 'apply',
      why: 'changed',
      fields: ['spec.region'],
    })
  })

  it('is synced once the change was written, and only where nothing differs', () => {
    const changed = { sync: { generation: 3 } }
    expect(decide(input(changed), NOW).isSynced).toBe(false)
    expect(decide(input({ ...changed, seen: { isApplied: true } }), NOW)).toMatchObject({
      isSynced: true,
      step: { do: 'nothing' },
    })
    expect(decide(input({ seen: { shoot: present(READY, ['spec.region']) } }), NOW).isSynced).toBe(false)
    expect(decide(input({ seen: { shoot: { is: 'absent' } } }), NOW).isSynced).toBe(false)
    const gone = { cluster: { deletedAt: NOW }, sync: { generation: 3 } }
    expect(decide(input({ ...gone }), NOW).isSynced).toBe(false)
    expect(decide(input({ ...gone, seen: { shoot: present(shoots.deleting) } }), NOW).isSynced).toBe(true)
  })

  it('does not write again what Gardener does not keep', () => {
    const seen = { isApplied: true, shoot: present(READY, ['spec.region']) }
    expect(decide(input({ seen }), NOW)).toMatchObject({
      step: { do: 'refuse', failure: { code: 'ShootRefused' } },
      truth: { status: 'progressing', message: 'the last change is not written yet' },
    })
  })

  it('does not say of an order that is refused that its Shoot is being created', () => {
    const absent = { shoot: { is: 'absent' } as const }
    const sync = { syncedGeneration: 0, status: 'pending', statusMessage: 'its Shoot is being created' } as const
    const truth = { status: 'pending', message: 'its Shoot is not created yet', failure: null }
    // What the status says where Gardener refuses it.
    expect(decide(input({ sync, seen: absent }), NOW)).toMatchObject({ step: { do: 'apply' }, truth })
    const problem = raise.GardenerMisconfigured('no room').failure
    expect(decide(input({ sync, seen: { ...absent, problem } }), NOW)).toMatchObject({ step: { do: 'refuse' }, truth })
  })

  it('removes a Shoot when the apps in it are gone, and not before', () => {
    const deleting = (appsLeft: number, shoot: Observed['shoot'] = present(READY)) =>
      decide(input({ cluster: { deletedAt: NOW, appsLeft }, seen: { shoot } }), NOW)
    expect(deleting(2)).toMatchObject({
      step: { do: 'waitFor', because: '2 apps in it are removed first' },
      truth: { status: 'deleting', message: '2 apps in it are removed first' },
      isSynced: false,
    })
    expect(deleting(0).step.do).toBe('remove')
    // With the Shoot they are gone, too.
    expect(deleting(2, { is: 'absent' }).step.do).toBe('forget')
    expect(deleting(2, present(shoots.deleting)).step.do).toBe('nothing')
    expect(decide(input({ cluster: { deletedAt: null, appsLeft: 2 } }), NOW).step.do).toBe('nothing')
  })

  it('leaves alone what is deleted', () => {
    const over = { cluster: { deletedAt: NOW }, sync: { status: 'deleted' as const } }
    expect(decide(input(over), NOW)).toMatchObject({ step: { do: 'nothing' }, truth: { status: 'deleted' } })
  })

  it.each<[NamespaceSeen, StepName]>([
    [{ is: 'unknown' }, 'ensureNamespace'],
    [{ is: 'pending', project: 'p1' }, 'waitFor'],
    [{ is: 'known', name: 'garden-p1' }, 'apply'],
  ])('without a Shoot, namespace $is: %s', (namespace, step) => {
    const seen = { namespace, shoot: { is: 'absent' } as const }
    const decision = decide(input({ seen, sync: { syncedGeneration: 0, status: 'pending' } }), NOW)
    expect([decision.step.do, decision.truth.status]).toEqual([step, 'pending'])
  })

  it('waits for a namespace more and more seldom, and tells when it takes long', () => {
    const seen = { namespace: { is: 'pending', project: 'p1' } as const, shoot: { is: 'absent' } as const }
    const after = (ms: number) =>
      decide(input({ seen, sync: { syncedGeneration: 0, status: 'pending', statusChangedAt: NOW - ms } }), NOW).step
    expect(after(100)).toMatchObject({ ms: 1_000 })
    expect(after(100)).not.toHaveProperty('failure')
    expect(after(20_000)).toMatchObject({ ms: 5_000 })
    expect(after(10 * MINUTE)).toMatchObject({ ms: 30_000, failure: { code: 'NamespacePending' } })
  })

  it('waits for a namespace in the same way when a cluster lost its Shoot with its project', () => {
    const seen = { namespace: { is: 'pending', project: 'p1' } as const, shoot: { is: 'absent' } as const }
    const after = (ms: number, status: ShootStatus = 'progressing') =>
      decide(input({ seen, sync: { status, statusChangedAt: NOW - ms } }), NOW)
    expect(after(100).step).toMatchObject({ ms: 1_000 })
    expect(after(20_000).step).toMatchObject({ ms: 5_000 })
    expect(after(10 * MINUTE)).toMatchObject({
      step: { ms: 30_000, failure: { code: 'NamespacePending' } },
      truth: { status: 'progressing' },
    })
    // The time of another status says nothing about how long it waits.
    expect(after(10 * MINUTE, 'ready').step).toMatchObject({ ms: 1_000 })
    expect(after(10 * MINUTE, 'ready').step).not.toHaveProperty('failure')
  })
})

const asked = (over: Partial<Operation> = {}): Operation => ({
  id: 'op1',
  kind: 'reconcile',
  requestedAt: NOW - 1_000,
  ...over,
})

describe('an operation that a person asked for', () => {
  const stepFor = (cluster: Operation, live: LiveShoot = READY): unknown =>
    decide(input({ cluster: { operation: cluster }, seen: { shoot: present(live) } }), NOW).step

  it('is asked for, until the Shoot carries its id', () => {
    expect(stepFor(asked())).toEqual({ do: 'operate', operation: 'reconcile', by: 'person', id: 'op1' })
    expect(stepFor(asked(), { ...READY, operationId: 'op1' })).toEqual({ do: 'nothing' })
    expect(stepFor(asked(), { ...READY, operationId: 'op0' })).toMatchObject({ do: 'operate' })
  })

  it('is over once the Shoot carries its id, and stays so', () => {
    const given = (over: Over = {}, operationId: string | null = 'op1') =>
      decide(
        input({ ...over, cluster: { operation: asked() }, seen: { shoot: present({ ...READY, operationId }) } }),
        NOW,
      )
    expect(given().closedOperation).toBe('op1')
    expect(given({}, null)).not.toHaveProperty('closedOperation')
    const closed = { sync: { closedOperation: 'op1' } }
    expect(given(closed)).not.toHaveProperty('closedOperation')
    // Somebody has removed the annotation.
    expect(given(closed, null).step).toEqual({ do: 'nothing' })
  })

  it('asks for another try where Gardener gave up, and for a reconcile elsewhere', () => {
    for (const kind of ['retry', 'reconcile'] as const) {
      expect(stepFor(asked({ kind }), shoots.failed)).toMatchObject({ operation: 'retry', by: 'person' })
      expect(stepFor(asked({ kind }))).toMatchObject({ operation: 'reconcile', by: 'person' })
    }
    expect(stepFor(asked({ kind: 'rotate-credentials-start' }))).toMatchObject({
      operation: 'rotate-credentials-start',
    })
  })

  it('is not asked of a Shoot that was made later, which clocks that differ by minutes do not tell', () => {
    const made = { ...READY, createdAt: NOW - 1_000 }
    expect(stepFor(asked({ requestedAt: made.createdAt - 5 * MINUTE }), made)).toMatchObject({ do: 'operate' })
    expect(stepFor(asked({ requestedAt: made.createdAt - 5 * MINUTE - 1 }), made)).toEqual({ do: 'nothing' })
  })

  it('that is dropped says why, once', () => {
    const of = (given: Operation, over: Over = {}) =>
      decide(input({ ...over, cluster: { operation: given, ...over.cluster } }), NOW)
    const why = 'Gardener was not asked for reconcile: that was not possible within an hour'
    const old = asked({ requestedAt: NOW - OPERATION_LIFE_MS })
    expect(of(old)).toMatchObject({ closedOperation: 'op1', dropped: why })
    expect(of(old, { seen: { shoot: { is: 'absent' } } })).toMatchObject({ closedOperation: 'op1', dropped: why })
    expect(of(old, { sync: { closedOperation: 'op1' } })).not.toHaveProperty('dropped')
    expect(of(old, { seen: { shoot: present({ ...READY, operationId: 'op1' }) } })).not.toHaveProperty('dropped')
    expect(of(asked())).not.toHaveProperty('dropped')
    const made = { seen: { shoot: present({ ...READY, createdAt: NOW }) } }
    expect(of(asked({ requestedAt: NOW - 6 * MINUTE }), made).dropped).toMatch(/its Shoot was made after/)
    const rotation = asked({ kind: 'rotate-credentials-start' })
    const deleting = { cluster: { deletedAt: NOW }, seen: { shoot: present(shoots.deleting) } }
    expect(of(rotation, deleting)).toMatchObject({ step: { do: 'nothing' }, closedOperation: 'op1' })
    expect(of(asked(), deleting)).toMatchObject({ step: { do: 'operate' } })
  })

  it('is not asked for after an hour', () => {
    const old = { ...READY, createdAt: 0 }
    expect(stepFor(asked({ requestedAt: NOW - OPERATION_LIFE_MS + 1 }), old)).toMatchObject({ do: 'operate' })
    expect(stepFor(asked({ requestedAt: NOW - OPERATION_LIFE_MS }), old)).toEqual({ do: 'nothing' })
  })

  it('waits while Gardener has not taken up another one, which it would replace', () => {
    const pending = { pendingOperation: 'rotate-credentials-start' }
    for (const live of [READY, shoots.processing, shoots.erroneous, { ...shoots.failed, generation: 4 }]) {
      const decision = decide(
        input({ cluster: { operation: asked() }, seen: { shoot: present({ ...live, ...pending }) } }),
        NOW,
      )
      expect(decision).toMatchObject({ step: { do: 'waitFor' }, isSynced: true })
      expect(decision.step).not.toHaveProperty('failure')
    }
    // Without one that is open, there is nothing to wait for.
    expect(decide(input({ seen: { shoot: present({ ...READY, ...pending }) } }), NOW).step).toEqual({ do: 'nothing' })
  })

  it.each(['rotate-credentials-start', 'rotate-credentials-complete'] as const)(
    'that is %s stays open while Gardener has given up: it takes up nothing but a retry then',
    (kind) => {
      const failed = (ms: number, over: Partial<LiveShoot> = {}) => {
        const live = { ...shoots.failed, operation: { ...operation('Failed'), updatedAt: NOW - ms }, ...over }
        return decide(input({ cluster: { operation: asked({ kind }) }, seen: { shoot: present(live) } }), NOW)
      }
      expect(failed(0)).toMatchObject({ step: { do: 'waitFor', ms: MINUTE }, isSynced: true })
      expect(failed(MINUTE).step).toEqual({ do: 'operate', operation: 'retry', by: 'caelus' })
      expect(failed(MINUTE, { generation: 4 }).step).toEqual({ do: 'nothing' })
      const errors = [{ description: 'wrong key', codes: ['ERR_INFRA_UNAUTHORIZED'] }]
      expect(failed(MINUTE, { errors }).step).toEqual({ do: 'nothing' })
      for (const decision of [failed(0), failed(MINUTE), failed(MINUTE, { errors })])
        expect(decision).not.toHaveProperty('closedOperation')
      expect(stepFor(asked({ kind }), shoots.erroneous)).toMatchObject({ do: 'operate', operation: kind })
      expect(stepFor(asked({ kind }), shoots.processing)).toMatchObject({ do: 'operate', operation: kind })
    },
  )

  it('comes after the change that was asked for with it', () => {
    const over = { cluster: { operation: asked() }, sync: { generation: 3 } }
    expect(decide(input(over), NOW).step).toMatchObject({ do: 'apply' })
    expect(decide(input({ ...over, seen: { isApplied: true } }), NOW).step).toMatchObject({ do: 'operate' })
  })
})

describe('what Gardener gave up', () => {
  const failedAgo = (ms: number, codes: readonly string[] = []): LiveShoot => ({
    ...shoots.failed,
    operation: { ...operation('Failed'), updatedAt: NOW - ms },
    errors: codes.length === 0 ? [] : [{ description: 'it failed', codes }],
  })
  const stepOf = (live: LiveShoot, retries = 0): unknown =>
    decide(input({ seen: { shoot: present(live) }, sync: { retries } }), NOW).step
  const RETRY = { do: 'operate', operation: 'retry', by: 'caelus' }

  it.each([
    [0, MINUTE],
    [1, 2 * MINUTE],
    [3, 8 * MINUTE],
    [20, 60 * MINUTE],
  ])('after %d tries, the next is asked for after %d ms', (retries, ms) => {
    expect(stepOf(failedAgo(ms), retries)).toEqual(RETRY)
    expect(stepOf(failedAgo(ms - 1), retries)).toMatchObject({ do: 'waitFor', ms: 1 })
  })

  it.each(['reconcile', 'rotate-credentials-start'])(
    'is tried again although %s was asked for: Gardener takes up nothing but a retry',
    (pendingOperation) => {
      expect(stepOf({ ...failedAgo(MINUTE), pendingOperation })).toEqual(RETRY)
      const wish: Operation = { id: 'op', kind: 'retry', requestedAt: NOW }
      const over = { cluster: { operation: wish }, seen: { shoot: present({ ...failedAgo(0), pendingOperation }) } }
      expect(decide(input(over), NOW).step).toMatchObject({ do: 'operate', operation: 'retry', by: 'person' })
    },
  )

  it('is not tried again while the try before is not taken up', () => {
    expect(stepOf({ ...failedAgo(MINUTE), generation: 4 })).toEqual({ do: 'nothing' })
  })

  it.each([
    ['ERR_INFRA_UNAUTHENTICATED', 'InfrastructureCredentials', 'operator', false],
    ['ERR_INFRA_UNAUTHORIZED', 'InfrastructureCredentials', 'operator', false],
    ['ERR_INFRA_QUOTA_EXCEEDED', 'InfrastructureQuota', 'operator', false],
    ['ERR_INFRA_RATE_LIMITS_EXCEEDED', 'InfrastructureBusy', 'platform', true],
    ['ERR_INFRA_DEPENDENCIES', 'InfrastructureDependencies', 'operator', false],
    ['ERR_RETRYABLE_INFRA_DEPENDENCIES', 'InfrastructureDependencies', 'operator', true],
    ['ERR_INFRA_RESOURCES_DEPLETED', 'InfrastructureDepleted', 'user', true],
    ['ERR_CLEANUP_CLUSTER_RESOURCES', 'ClusterResourcesLeft', 'user', true],
    ['ERR_CONFIGURATION_PROBLEM', 'ClusterConfiguration', 'user', false],
    ['ERR_RETRYABLE_CONFIGURATION_PROBLEM', 'ClusterConfiguration', 'user', true],
    ['ERR_PROBLEMATIC_WEBHOOK', 'ClusterWebhook', 'user', false],
    ['ERR_OF_A_LATER_VERSION', 'ShootFailed', 'operator', true],
  ])('with %s is %s, the move of the %s, tried again: %s', (code, failure, whoseMove, isRetried) => {
    const live = failedAgo(2 * MINUTE, [code])
    const { step, truth } = decide(input({ seen: { shoot: present(live) } }), NOW)
    expect(truth.failure).toMatchObject({ code: failure, whoseMove })
    expect(step).toEqual(isRetried ? RETRY : { do: 'nothing' })
  })

  it('is not tried again when one of several causes has to be removed, and names that one', () => {
    const errors = [
      { description: 'too fast', codes: ['ERR_INFRA_RATE_LIMITS_EXCEEDED'] },
      { description: 'wrong key', codes: ['ERR_INFRA_UNAUTHORIZED'] },
    ]
    const { step, truth } = decide(input({ seen: { shoot: present({ ...failedAgo(2 * MINUTE), errors }) } }), NOW)
    expect(step).toEqual({ do: 'nothing' })
    expect(truth.message).toBe('wrong key (ERR_INFRA_UNAUTHORIZED)')
  })

  it('is tried again during a deletion as well', () => {
    const live = { ...failedAgo(2 * MINUTE), isDeleting: true }
    const over = { cluster: { deletedAt: NOW }, seen: { shoot: present(live) } }
    expect(decide(input(over), NOW).step).toEqual(RETRY)
    // Also of one that somebody else began: the cluster is made anew when it has ended.
    expect(decide(input({ seen: { shoot: present(live) } }), NOW).step).toEqual(RETRY)
  })

  it('is tried again during a deletion when a person asks for it, whatever the code', () => {
    const errors = [{ description: 'wrong key', codes: ['ERR_INFRA_UNAUTHORIZED'] }]
    const live = { ...failedAgo(MINUTE), isDeleting: true, errors }
    const seen = { shoot: present(live) }
    expect(decide(input({ cluster: { deletedAt: NOW }, seen }), NOW).step).toEqual({ do: 'nothing' })
    const byHand = { id: 'o1', kind: 'retry' as const, requestedAt: NOW }
    expect(decide(input({ cluster: { deletedAt: NOW, operation: byHand }, seen }), NOW).step).toMatchObject({
      do: 'operate',
      operation: 'retry',
      by: 'person',
    })
  })

  it('is tried again when a person asks for it, also during a deletion that somebody else began', () => {
    const errors = [{ description: 'wrong key', codes: ['ERR_INFRA_UNAUTHORIZED'] }]
    const stuck = { ...failedAgo(MINUTE), isDeleting: true, errors }
    const asking = (kind: Operation['kind'], live: LiveShoot = stuck) =>
      decide(input({ cluster: { operation: asked({ kind }) }, seen: { shoot: present(live) } }), NOW)
    const byPerson = { do: 'operate', by: 'person', id: 'op1' }
    expect(asking('retry').step).toMatchObject({ ...byPerson, operation: 'retry' })
    expect(asking('reconcile').step).toMatchObject({ ...byPerson, operation: 'retry' })
    expect(asking('reconcile', shoots.deleting).step).toMatchObject({ ...byPerson, operation: 'reconcile' })
    expect(asking('retry', { ...stuck, operationId: 'op1' })).toMatchObject({
      step: { do: 'waitFor' },
      closedOperation: 'op1',
    })
    // The Shoot that is made anew may have its credentials rotated.
    const rotation = asking('rotate-credentials-start')
    expect(rotation.step).toMatchObject({ do: 'waitFor', ms: MINUTE })
    expect(rotation).not.toHaveProperty('closedOperation')
    // What Gardener has not taken up is not replaced, and not waited for as long as the end of the deletion.
    const pending = asking('reconcile', { ...shoots.deleting, pendingOperation: 'reconcile' })
    expect(pending.step).toMatchObject({ do: 'waitFor', ms: 10_000, failure: { code: 'ShootTerminating' } })
  })

  it('is the failure of a deletion that somebody else began; without one it is the deletion itself', () => {
    const of = (live: LiveShoot) => decide(input({ seen: { shoot: present(live) } }), NOW)
    expect(of(shoots.deletionFailed).truth.failure).toMatchObject({ code: 'ShootFailed' })
    expect(of(shoots.deletionFailed).step).not.toHaveProperty('failure')
    expect(of(shoots.deletionErroneous).step).not.toHaveProperty('failure')
    for (const live of [shoots.deleting, shoots.deletionUnobserved])
      expect(of(live)).toMatchObject({ step: { failure: { code: 'ShootTerminating' } }, truth: { failure: null } })
  })

  it('counts anew after a success, and not before', () => {
    const retriesWith = (live: LiveShoot): number =>
      decide(input({ seen: { shoot: present(live) }, sync: { retries: 3 } }), NOW).retries
    expect(retriesWith(READY)).toBe(0)
    expect(retriesWith(shoots.processing)).toBe(3)
    expect(retriesWith(shoots.unobserved)).toBe(3)
  })
})

test('a condition that is False is told by its code, with whose move it is', () => {
  const conditions = shoots.degraded.conditions.map((one) =>
    one.status === 'False' ? { ...one, codes: ['ERR_PROBLEMATIC_WEBHOOK'] } : one,
  )
  const { truth } = decide(input({ seen: { shoot: present({ ...shoots.degraded, conditions }) } }), NOW)
  expect(truth).toMatchObject({ status: 'error', failure: { code: 'ClusterWebhook', whoseMove: 'user' } })
  expect(truth.message).toMatch(/ is False: .* \(ERR_PROBLEMATIC_WEBHOOK\)$/)
})

test('an error and a failure are told apart by their codes', () => {
  const codeOf = (live: LiveShoot) => decide(input({ seen: { shoot: present(live) } }), NOW).truth.failure?.code
  expect([codeOf(shoots.erroneous), codeOf(shoots.failed), codeOf(shoots.degraded)]).toEqual([
    'ShootErroneous',
    'ShootFailed',
    'ShootDegraded',
  ])
})
