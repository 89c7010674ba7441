import { expect, test } from 'vitest'
import { systemClock } from '../../kernel/index.ts'
import { decide } from './decide.ts'
import { explain, type ExplainedJob } from './explain.ts'
import { explainNow } from './explain-now.ts'
import { raise } from './failures.ts'
import { exampleCluster } from './fake/example.ts'
import type { ObserveDeps } from './observe.ts'
import type { LiveShoot, Observed } from './observed.ts'
import type { LoadedCluster } from './rows.ts'
import type { Cluster, SyncState } from './types.ts'
import { auditText, decisionText } from './words.ts'

const NOW = 1_000_000

const cluster: Cluster = { ...exampleCluster, id: '1', organizationId: 'o1' }
const sync: SyncState = {
  generation: 2,
  syncedGeneration: 2,
  syncedAt: 0,
  failure: null,
  attempts: 0,
  lastAttemptAt: null,
  status: 'progressing',
  statusMessage: null,
  statusFailure: null,
  statusChangedAt: 0,
  shoot: null,
  retries: 0,
  closedOperation: null,
}
const live: LiveShoot = {
  namespace: 'garden-p1',
  name: 'c1',
  uid: 'u1',
  kubernetesVersion: '1.34.3',
  isHibernated: false,
  operation: { type: 'Create', state: 'Processing', progress: 40, description: 'Deploying etcd', updatedAt: NOW },
  conditions: [],
  errors: [],
  rotation: {},
  createdAt: 0,
  isDeleting: false,
  generation: 1,
  observedGeneration: 1,
  isToHibernate: false,
  operationId: null,
}
const seenOf = (shoot: Observed['shoot'], over: Partial<Observed> = {}): Observed => ({
  shoot,
  namespace: { is: 'known', name: 'garden-p1' },
  isApplied: false,
  ...over,
})

function explained(loaded: LoadedCluster, seen: Observed, job: ExplainedJob | null = null) {
  const decision = decide({ cluster: loaded.cluster, sync: loaded.sync, seen }, NOW)
  return { ...explain({ ...loaded, seen, decision, job }, NOW), words: decisionText(decision) }
}

test('what Gardener is at is told with its progress, and nobody has to do anything', () => {
  expect(explained({ cluster, sync }, seenOf({ is: 'present', live, drift: [] }))).toEqual({
    why: [
      'the latest change has been written to Gardener',
      'Shoot garden-p1/c1 exists',
      'the last operation of Gardener is Create, Processing at 40 %: Deploying etcd',
      'its status is progressing: Create: 40 %, Deploying etcd',
    ],
    next: 'nothing, until it is changed or Gardener tells something new',
    at: null,
    whoseMove: 'platform',
    nextStep: null,
    blockers: [],
    words: 'its status is progressing: Create: 40 %, Deploying etcd',
  })
})

test('a failed try says when the next one is due and whose move it is', () => {
  const failure = raise.ShootRefused('spec.region: not supported').failure
  const job = { status: 'queued', attempt: 2, runAfter: NOW + 60_000 } as const
  const told = explained({ cluster, sync: { ...sync, generation: 3, failure } }, seenOf({ is: 'absent' }), job)
  expect(told).toMatchObject({
    next: 'its Shoot is created (in 60 s, try 3)',
    at: NOW + 60_000,
    whoseMove: 'user',
    nextStep: failure.nextStep,
  })
  expect(told.why[0]).toBe('change 3 is not written to Gardener yet; the last one that is, is change 2')
  expect(told.why[1]).toBe('the last try failed: spec.region: not supported (ShootRefused)')
})

test('what keeps a deletion from ending is named', () => {
  const errors = [{ description: 'pods hang', codes: ['ERR_CLEANUP_CLUSTER_RESOURCES'] }]
  const stuck = { ...live, isDeleting: true, errors, operation: { ...live.operation!, state: 'Error' } }
  const told = explained(
    { cluster: { ...cluster, deletedAt: 1 }, sync },
    seenOf({ is: 'present', live: stuck, drift: [] }),
  )
  expect(told.blockers).toEqual(['pods hang ERR_CLEANUP_CLUSTER_RESOURCES'])
  expect(told).toMatchObject({ whoseMove: 'user' })
  expect(told.why[0]).toBe('it is to be deleted')
})

test.each([
  [raise.GardenerUnreachable('garden.example.org refused the connection'), 'platform'],
  [raise.GardenerForbidden('shoots is forbidden: caelus cannot get them'), 'operator'],
])('without its Shoot the row alone is told, and why: %s', ({ failure }, whoseMove) => {
  expect(explain({ cluster, sync, unseen: failure, job: null }, NOW)).toMatchObject({
    why: [
      'the latest change has been written to Gardener',
      `its Shoot could not be read: ${failure.message} (${failure.code})`,
    ],
    next: 'Gardener is asked again',
    whoseMove,
    nextStep: failure.nextStep,
  })
})

test('what Gardener refuses to show is told as it is', async () => {
  const gardener = {
    shoots: { isCurrent: false } as ObserveDeps['gardener']['shoots'],
    find: () => Promise.reject(raise.GardenerForbidden('caelus cannot get shoots')),
    list: () => Promise.reject(raise.GardenerForbidden('caelus cannot list shoots')),
  }
  const settings = { providerType: 'local', cloudProfile: 'local', maxShootNameLen: 21, networkingType: 'calico' }
  const deps = {
    gardener,
    settings: { ...settings, namespace: 'garden-p1' },
    clock: { ...systemClock, now: () => NOW },
  }
  const { why } = await explainNow(deps, { cluster, sync }, null, new AbortController().signal)
  expect(why.at(-1)).toBe('its Shoot could not be read: caelus cannot get shoots (GardenerForbidden)')
})

test('what is given up and what is deleted say so', () => {
  const job = { status: 'failed', attempt: 0, runAfter: 0 } as const
  expect(explained({ cluster, sync }, seenOf({ is: 'absent' }), job).next).toContain('nothing, until it is changed')
  expect(explain({ cluster, sync: { ...sync, status: 'deleted' }, job: null }, NOW).whoseMove).toBe('nobody')
})

test('a change by hand, a namespace that is missing and a problem are told', () => {
  const drifted = explained({ cluster, sync }, seenOf({ is: 'present', live, drift: ['spec.region'] }))
  expect(drifted.why).toContain('spec.region differs from what was ordered')
  expect(drifted.words).toBe('a change by hand is being undone: spec.region')
  const waiting = explained(
    { cluster, sync },
    seenOf({ is: 'absent' }, { namespace: { is: 'pending', project: 'p1' } }),
  )
  expect(waiting.why).toContain('Gardener has not made the namespace of project p1 yet')
  const problem = raise.GardenerMisconfigured('no room').failure
  const refused = explained({ cluster, sync }, seenOf({ is: 'absent' }, { problem }))
  expect(refused).toMatchObject({ whoseMove: 'operator', words: 'it cannot go on: no room (GardenerMisconfigured)' })
})

test.each([
  ['created', {}, 'it was ordered'],
  ['changed', { changed: 'version' }, 'it was changed: version'],
  ['operation', { kind: 'retry' }, 'Gardener is to try again'],
  ['renamed', {}, 'it was renamed'],
])('the deed %s %j: %s', (action, detail, text) => expect(auditText(action, detail)).toBe(text))
