import { describe, expect, test } from 'vitest'
import { exampleShoot } from './example-shoot.ts'
import type { Shoot } from './resources.ts'
import { isUrgent, nextStep, type Circumstances, type Step } from './shoot-life.ts'
import type { ShootStatus, StatusPatch } from './shoot-status.ts'
import { NOTHING_WRONG, simulationIn, type Simulation } from './simulation.ts'

const pace = { pendingMs: 1, taskMs: 2, checkMs: 3, retryMs: 4 }
const circumstances = (simulation: Simulation = NOTHING_WRONG, tasks?: number): Circumstances => ({
  now: Date.parse('2026-03-01T00:00:00Z'),
  pace: { ...pace, ...(tasks !== undefined && { tasks }) },
  project: 'org',
  simulation,
})

const quota: Simulation = { degraded: [], failure: { codes: ['ERR_INFRA_QUOTA_EXCEEDED'] } }
const depleted: Simulation = { degraded: [], failure: { codes: ['ERR_INFRA_RESOURCES_DEPLETED'] } }

const fresh = (): Shoot => {
  const { metadata, ...rest } = exampleShoot('garden-org', 'one')
  return { ...rest, metadata: { ...metadata, uid: 'u1', generation: 1 } }
}

/** What the server would make of a step. */
function after(shoot: Shoot, step: Step): Shoot {
  const { metadata, spec, status = {} } = shoot
  switch (step.do) {
    case 'schedule':
      return { ...shoot, spec: { ...spec, seedName: 'local' }, metadata: { ...metadata, generation: 2 } }
    case 'addFinalizer':
      return { ...shoot, metadata: { ...metadata, finalizers: ['gardener'] } }
    case 'release':
      return { ...shoot, metadata: { ...metadata, finalizers: [] } }
    case 'report':
      return { ...shoot, status: patched(status, step.status) }
    case 'rest':
      return shoot
    default:
      return step satisfies never
  }
}

const patched = (status: ShootStatus, patch: StatusPatch): ShootStatus =>
  Object.fromEntries(Object.entries({ ...status, ...patch }).filter(([, value]) => value !== null))

/** All steps until the Shoot is left alone, and what has become of it. */
function live(
  shoot: Shoot,
  simulation = NOTHING_WRONG,
  { most = 50, tasks }: { readonly most?: number; readonly tasks?: number } = {},
): { readonly steps: Step[]; readonly shoot: Shoot } {
  const steps: Step[] = []
  let now = shoot
  for (; steps.length < most; now = after(now, steps.at(-1) ?? { do: 'rest' })) {
    const step = nextStep(now, circumstances(simulation, tasks))
    if (step.do === 'rest') break
    steps.push(step)
  }
  return { steps, shoot: now }
}

const created = (): Shoot => live(fresh()).shoot
const deleted = (shoot: Shoot): Shoot => ({
  ...shoot,
  metadata: { ...shoot.metadata, deletionTimestamp: '2026-03-01T00:00:00Z' },
})
const changed = (shoot: Shoot, spec: Partial<Shoot['spec']> = {}): Shoot => ({
  ...shoot,
  spec: { ...shoot.spec, ...spec },
  metadata: { ...shoot.metadata, generation: (shoot.metadata.generation ?? 0) + 1 },
})
const lastOf = ({ status }: Shoot) => status?.lastOperation

describe('a Shoot', () => {
  test('is scheduled and held by a finalizer before anything is done for it', () => {
    const { steps, shoot } = live(fresh())
    expect(steps.slice(0, 3).map((step) => step.do)).toEqual(['report', 'schedule', 'addFinalizer'])
    expect(lastOf(shoot)).toMatchObject({ type: 'Create', state: 'Succeeded', progress: 100 })
    expect(shoot.status).toMatchObject({ technicalID: 'shoot--org--one', observedGeneration: 2, uid: 'u1' })
    expect(shoot.status?.conditions?.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'True'))
  })

  test('has conditions that are in progress between an operation and the next check', () => {
    const { steps } = live(fresh())
    const done = steps.find((step) => step.do === 'report' && step.status.lastOperation?.state === 'Succeeded')
    const conditions = done?.do === 'report' ? done.status.conditions : []
    expect(new Set(conditions?.map(({ status }) => status))).toEqual(new Set(['Progressing']))
    expect(done).toMatchObject({ afterMs: pace.checkMs })
  })

  test.each([1, 2, 9, undefined])(
    'publishes its address once in an operation of which %s tasks are reported',
    (tasks) => {
      const { steps } = live(fresh(), NOTHING_WRONG, { ...(tasks !== undefined && { tasks }) })
      const reports = steps.filter((step) => step.do === 'report')
      expect(reports.filter(({ publishes }) => publishes === true)).toHaveLength(1)
      const processing = reports.filter(({ status }) => (status.lastOperation?.progress ?? 0) % 100 > 0)
      expect(processing).toHaveLength(tasks === undefined ? 9 : tasks === 2 ? 1 : tasks)
    },
  )

  test('is reconciled when its generation has changed, and hibernates', () => {
    const { shoot } = live(changed(created(), { hibernation: { enabled: true } }))
    expect(lastOf(shoot)).toMatchObject({ type: 'Reconcile', state: 'Succeeded' })
    expect(shoot.status).toMatchObject({ hibernated: true, observedGeneration: 3 })
    expect(shoot.status?.conditions?.[0]?.reason).toBe('ConditionNotChecked')
  })

  test('is released when its deletion has succeeded', () => {
    const { steps, shoot } = live(deleted(created()))
    expect(lastOf(shoot)).toMatchObject({ type: 'Delete', state: 'Succeeded' })
    expect(steps.at(-1)).toEqual({ do: 'release' })
  })

  test('for which nothing was done is released at once', () => {
    const { metadata, ...rest } = fresh()
    const { steps } = live(deleted({ ...rest, metadata: { ...metadata, finalizers: ['gardener'] } }))
    expect(steps).toEqual([{ do: 'release' }])
  })

  test('without our finalizer is left alone during its deletion', () => {
    expect(live(deleted(fresh())).steps).toEqual([])
  })
})

describe('an operation that fails', () => {
  test('with a code of a passing trouble is tried again later', () => {
    const erring = nextStep(created(), circumstances(depleted))
    expect(erring).toMatchObject({ fails: true, afterMs: pace.retryMs, status: { lastOperation: { state: 'Error' } } })
    const retried = nextStep(after(created(), erring), circumstances(depleted))
    expect(retried).toMatchObject({ status: { lastOperation: { type: 'Reconcile', state: 'Processing' } } })
  })

  test('with a code that retries do not help is given up until the generation changes', () => {
    const { shoot } = live(created(), quota)
    expect(lastOf(shoot)).toMatchObject({ type: 'Reconcile', state: 'Failed' })
    expect(shoot.status?.lastErrors).toMatchObject([{ codes: ['ERR_INFRA_QUOTA_EXCEEDED'] }])
    expect(nextStep(shoot, circumstances())).toEqual({ do: 'rest' })
    const again = live(changed(shoot))
    expect(lastOf(again.shoot)).toMatchObject({ type: 'Reconcile', state: 'Succeeded' })
    expect(again.shoot.status?.lastErrors).toBeUndefined()
  })

  test('the first one of all stays a creation', () => {
    const { shoot } = live(fresh(), quota)
    expect(lastOf(shoot)).toMatchObject({ type: 'Create', state: 'Failed' })
    expect(lastOf(live(changed(shoot)).shoot)).toMatchObject({ type: 'Create', state: 'Succeeded' })
  })

  test('does not keep a Shoot from being deleted', () => {
    const { shoot } = live(created(), quota)
    expect(live(deleted(shoot)).steps.at(-1)).toEqual({ do: 'release' })
  })
})

describe('what does not wait', () => {
  test('a change of a Shoot that is at rest, and its deletion at any time', () => {
    const begun = live(fresh(), NOTHING_WRONG, { most: 5 }).shoot
    expect(lastOf(begun)?.state).toBe('Processing')
    expect([begun, changed(begun), deleted(begun)].map(isUrgent)).toEqual([false, false, true])
    expect([created(), changed(created())].map(isUrgent)).toEqual([false, true])
  })
})

test('credentials are rotated in two operations', () => {
  const rotating = (shoot: Shoot, operation: string): Shoot => {
    const next = changed(shoot)
    return { ...next, metadata: { ...next.metadata, annotations: { 'gardener.cloud/operation': operation } } }
  }
  const { steps, shoot } = live(rotating(created(), 'rotate-credentials-start'))
  expect(steps[0]).toMatchObject({ operations: null })
  const { rotation } = shoot.status?.credentials ?? {}
  expect(rotation).toMatchObject({
    certificateAuthorities: { phase: 'Prepared' },
    etcdEncryptionKey: { phase: 'Prepared', autoCompleteAfterPrepared: true },
    sshKeypair: { lastCompletionTime: expect.any(String) },
  })
  const ended = live(rotating(shoot, 'rotate-credentials-complete')).shoot.status?.credentials?.rotation
  expect(ended).toMatchObject({
    certificateAuthorities: { phase: 'Completed' },
    serviceAccountKey: { phase: 'Completed' },
    etcdEncryptionKey: { phase: 'Completed' },
  })
})

test.each([
  [undefined, undefined],
  ['not json', undefined],
  ['{"state":"Failed","codes":["A"]}', { failure: { state: 'Failed', codes: ['A'] }, degraded: [] }],
  ['{"degraded":[{"type":"EveryNodeReady"}]}', { degraded: [{ type: 'EveryNodeReady' }] }],
])('the annotation %s is read as %j', (text, simulation) => {
  expect(simulationIn(text)).toEqual(simulation)
})
