import { describe, expect, test } from 'vitest'
import { GARDENER_OPERATION, type Shoot, type ShootState } from '../shoot.ts'
import { nextStep, type Pace } from './life.ts'
import { SIMULATE, type Simulated } from './simulated.ts'

const pace: Pace = { stepMs: 100, steps: 4, retryMs: 1_000 }

interface Scene {
  readonly status?: ShootState
  readonly generation?: number
  readonly isHeld?: boolean
  readonly isDeleted?: boolean
  readonly isHibernated?: boolean
  readonly operation?: string
  readonly simulated?: Simulated
}

const shootOf = ({ status, generation = 1, isHeld = true, ...scene }: Scene): Shoot => ({
  apiVersion: 'core.gardener.cloud/v1beta1',
  kind: 'Shoot',
  metadata: {
    name: 'c1',
    namespace: 'garden-org',
    generation,
    finalizers: isHeld ? ['gardener'] : [],
    annotations: {
      ...(scene.operation !== undefined && { [GARDENER_OPERATION]: scene.operation }),
      ...(scene.simulated !== undefined && { [SIMULATE]: JSON.stringify(scene.simulated) }),
    },
    ...(scene.isDeleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  },
  spec: {
    kubernetes: { version: '1.34.3' },
    provider: { type: 'local' },
    hibernation: { enabled: scene.isHibernated ?? false },
  },
  ...(status !== undefined && { status }),
})

const operation = (type: string, state: string, progress: number) => ({ type, state, progress, description: '' })
const at = (type: string, state: string, progress: number, observedGeneration = 1): ShootState => ({
  observedGeneration,
  lastOperation: operation(type, state, progress),
})

/** `Create Processing 25 in 100`, or what else is done. */
function told(scene: Scene): string {
  const step = nextStep(shootOf(scene), pace)
  if (step === undefined) return 'nothing'
  if (step.do !== 'report') return step.do
  const last = step.status.lastOperation
  const what = last === undefined ? 'conditions' : `${last.type} ${last.state} ${last.progress}`
  return `${what} in ${step.afterMs}`
}

const depleted = { fail: { description: 'no machines', codes: ['ERR_INFRA_RESOURCES_DEPLETED'] } }
const quota = { fail: { description: 'no quota', codes: ['ERR_INFRA_QUOTA_EXCEEDED'] } }
const failed = { fail: { state: 'Failed', description: 'bad credentials', at: 0 } } as const

test.each<[string, Scene, string]>([
  ['a new Shoot is held', { isHeld: false }, 'addFinalizer'],
  ['then it is taken on', {}, 'Create Pending 0 in 0'],
  ['then worked on', { status: at('Create', 'Pending', 0) }, 'Create Processing 0 in 100'],
  ['with rising progress', { status: at('Create', 'Processing', 25) }, 'Create Processing 50 in 100'],
  ['until it is there', { status: at('Create', 'Processing', 75) }, 'Create Succeeded 100 in 100'],
  ['a change reconciles it', { generation: 2, status: at('Create', 'Succeeded', 100) }, 'Reconcile Processing 0 in 0'],
  [
    'a change during creation waits for its end',
    { generation: 2, status: at('Create', 'Processing', 50) },
    'Create Processing 75 in 100',
  ],
  ['a reconciliation ends too', { status: at('Reconcile', 'Processing', 75) }, 'Reconcile Succeeded 100 in 100'],
  ['an error stops it', { status: at('Create', 'Processing', 50), simulated: depleted }, 'Create Error 50 in 100'],
  [
    'not before its place',
    { status: at('Create', 'Processing', 25), simulated: depleted },
    'Create Processing 50 in 100',
  ],
  ['an error is retried', { status: at('Create', 'Error', 50), simulated: depleted }, 'Create Processing 0 in 1000'],
  ['at once after a change', { generation: 2, status: at('Create', 'Error', 50) }, 'Create Processing 0 in 0'],
  [
    'an operation fails before its end',
    { status: at('Create', 'Processing', 75), simulated: { fail: { at: 100 } } },
    'Create Error 75 in 100',
  ],
  [
    'a Shoot at rest is reconciled, to fail',
    { status: at('Create', 'Succeeded', 100), simulated: depleted },
    'Reconcile Processing 0 in 0',
  ],
  ['a code stops it for good', { status: at('Create', 'Processing', 50), simulated: quota }, 'Create Failed 50 in 100'],
  ['a failure stops it', { status: at('Create', 'Processing', 0), simulated: failed }, 'Create Failed 0 in 100'],
  ['a failure is not retried', { status: at('Create', 'Failed', 0) }, 'nothing'],
  ['before it is changed', { generation: 2, status: at('Create', 'Failed', 0) }, 'Create Processing 0 in 0'],
  [
    'a deletion begins',
    { isDeleted: true, generation: 2, status: at('Create', 'Succeeded', 100) },
    'Delete Processing 0 in 0',
  ],
  ['also of what failed', { isDeleted: true, status: at('Create', 'Failed', 0) }, 'Delete Processing 0 in 0'],
  ['and ends', { isDeleted: true, status: at('Delete', 'Processing', 75) }, 'Delete Succeeded 100 in 100'],
  ['what was never begun is let go at once', { isDeleted: true }, 'removeFinalizer'],
  ['the Shoot is let go', { isDeleted: true, status: at('Delete', 'Succeeded', 100) }, 'removeFinalizer'],
  ['once', { isDeleted: true, isHeld: false, status: at('Delete', 'Succeeded', 100) }, 'nothing'],
  [
    'a rotation begins',
    { operation: 'rotate-credentials-start', generation: 2, status: at('Create', 'Succeeded', 100) },
    'Reconcile Processing 0 in 0',
  ],
  [
    'and is taken off the Shoot',
    {
      operation: 'rotate-credentials-start',
      status: { ...at('Reconcile', 'Processing', 0), ...rotation('Preparing') },
    },
    'removeOperation',
  ],
  [
    'a rotation during an operation waits',
    { operation: 'rotate-credentials-start', status: at('Create', 'Processing', 25) },
    'Create Processing 50 in 100',
  ],
])('%s', (_, scene, expected) => {
  expect(told(scene)).toBe(expected)
})

function rotation(phase: string): Pick<ShootState, 'credentials'> {
  const renewed = { lastInitiationTime: '2026-01-01T00:00:00Z' }
  const phased = { certificateAuthorities: { phase }, serviceAccountKey: { phase }, etcdEncryptionKey: { phase } }
  return { credentials: { rotation: { ...phased, observability: renewed, sshKeypair: renewed } } }
}

test('an operation that begins says who does it for which Shoot', () => {
  const { metadata, spec, ...rest } = shootOf({ status: at('Create', 'Pending', 0) })
  const shoot = { ...rest, metadata: { ...metadata, uid: 'u1' }, spec: { ...spec, seedName: 'local' } }
  expect(nextStep(shoot, pace)).toMatchObject({
    status: { uid: 'u1', seedName: 'local', observedGeneration: 1, gardener: { name: 'gardenlet-stand-in' } },
  })
})

test('a failure without words names the task', () => {
  const lastOperation = { ...operation('Create', 'Processing', 50), description: 'Deploying' }
  const step = nextStep(shootOf({ status: { lastOperation }, simulated: { fail: {} } }), pace)
  expect(step).toMatchObject({
    status: {
      lastOperation: { state: 'Error', description: 'task "Deploying" failed: simulated Operation will be retried.' },
      lastErrors: [{ description: 'task "Deploying" failed: simulated', taskID: 'Deploying' }],
    },
  })
})

describe('a success', () => {
  const success = (scene: Scene): ShootState | undefined => {
    const step = nextStep(shootOf({ status: at('Reconcile', 'Processing', 75), ...scene }), pace)
    return step?.do === 'report' ? (step.status as ShootState) : undefined
  }

  test('reports all conditions, and no error', () => {
    const status = success({})
    expect(status?.conditions?.map(({ type, status: value }) => `${type} ${value}`)).toEqual([
      'APIServerAvailable True',
      'ControlPlaneHealthy True',
      'ObservabilityComponentsHealthy True',
      'EveryNodeReady True',
      'SystemComponentsHealthy True',
    ])
    expect(status).toMatchObject({ lastErrors: null, hibernated: false })
  })

  test('of a hibernation hibernates', () => {
    const status = success({ isHibernated: true })
    expect(status).toMatchObject({ hibernated: true })
    expect(new Set(status?.conditions?.map(({ reason }) => reason))).toEqual(new Set(['ConditionNotChecked']))
  })

  test.each([
    ['Preparing', 'Prepared'],
    ['Completing', 'Completed'],
  ])('ends the phase %s of a rotation as %s', (from, to) => {
    const status = { ...at('Reconcile', 'Processing', 75), ...rotation(from) }
    expect(success({ status })?.credentials?.rotation?.['etcdEncryptionKey']?.phase).toBe(to)
  })
})

describe('a Shoot at rest', () => {
  const resting = (simulated?: Simulated): Scene => {
    const step = nextStep(shootOf({ status: at('Create', 'Processing', 75), ...(simulated && { simulated }) }), pace)
    const status = step?.do === 'report' ? (step.status as ShootState) : {}
    return { status: { ...status, observedGeneration: 1 } }
  }
  const degrade = { degrade: { type: 'ControlPlaneHealthy', message: 'etcd is down' } }

  test('is left alone', () => {
    expect(told(resting())).toBe('nothing')
  })

  test('degrades and heals', () => {
    expect(told({ ...resting(), simulated: degrade })).toBe('conditions in 0')
    expect(told({ ...resting(degrade), simulated: degrade })).toBe('nothing')
    expect(told(resting(degrade))).toBe('conditions in 0')
  })
})
