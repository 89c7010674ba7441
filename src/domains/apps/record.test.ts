import { expect, it } from 'vitest'
import type { Decision } from './decide.ts'
import { raise } from './failures.ts'
import { record, type Happened } from './record.ts'
import { rolloutFor } from './rollout.ts'
import type { Deployment } from './types.ts'

const row: Deployment = {
  id: '1',
  deploymentUid: 'ns',
  namespaceName: 'ns',
  releaseName: 'ns',
  userId: '1',
  domainname: 'a.example',
  userValues: {},
  sealedValues: {},
  desiredTemplateId: '2',
  appliedTemplateId: null,
  status: 'provisioning',
  generation: 3,
  observedGeneration: 0,
  statusGeneration: 3,
  retries: 0,
  rollout: null,
  unrepairable: [],
  clusterId: null,
  suspendedAt: null,
  lastError: raise.ChartUnreachable('registry is away').failure,
  lastReconcileAt: 1,
  nextReconcileAt: 2,
  createdAt: 0,
  deletedAt: null,
}
const NOW = 1_000
const ready: Happened = { is: 'decided', decision: { step: { do: 'nothing' }, status: 'ready' } }

it('tells the revision of Helm along with what is written anyway, and never alone', () => {
  const release = { is: 'deployed', revision: 7, updatedAt: 0, claims: [] } as const
  expect(record(row, { ...ready, release }, NOW)).toMatchObject({ status: 'ready', helmRevision: 7 })
  const done: Deployment = { ...row, ...record(row, ready, NOW) }
  expect(record(done, { ...ready, release }, NOW)).toBeUndefined()
})

it('writes success once', () => {
  const patch = record(row, ready, NOW)
  expect(patch).toEqual({
    status: 'ready',
    appliedTemplateId: '2',
    observedGeneration: 3,
    lastError: null,
    nextReconcileAt: null,
    lastReconcileAt: NOW,
  })
  expect(record({ ...row, ...patch }, ready, NOW + 1)).toBeUndefined()
})

it('keeps what is applied of a deployment that is gone', () => {
  const gone: Happened = { is: 'decided', decision: { step: { do: 'nothing' }, status: 'deleted' } }
  expect(record({ ...row, status: 'deleting' }, gone, NOW)).not.toHaveProperty('appliedTemplateId')
})

it('says how long it waits, once per wait', () => {
  const wait: Happened = {
    is: 'decided',
    decision: { step: { do: 'waitFor', because: 'pods start', ms: 5_000 }, status: 'provisioning' },
  }
  const patch = record({ ...row, nextReconcileAt: null }, wait, NOW)
  expect(patch).toEqual({ lastError: null, nextReconcileAt: NOW + 5_000, lastReconcileAt: NOW })
  expect(record({ ...row, nextReconcileAt: null, ...patch }, wait, NOW + 5_000)).toBeUndefined()
})

it('says why the last try failed until one succeeds', () => {
  const { failure } = raise.NeverHealthy('too slow')
  const rollout = { ...rolloutFor(row, 'digest'), failures: 1, failure }
  const step = { do: 'waitFor', because: 'pods start', ms: 5_000 } as const
  const waiting: Happened = { is: 'decided', decision: { step, status: 'upgrading', rollout } }
  expect(record(row, waiting, NOW)).toMatchObject({ lastError: failure })
})

it('keeps the last error in view while the next try runs', () => {
  const install: Happened = {
    is: 'decided',
    decision: {
      step: { do: 'install', timeoutMs: 1 },
      status: 'provisioning',
    },
  }
  const idle = { ...row, nextReconcileAt: null }
  expect(record(idle, install, NOW)).toBeUndefined()
  expect(record({ ...idle, status: 'pending' }, install, NOW)).toEqual({ status: 'provisioning', lastReconcileAt: NOW })
})

it.each(['uninstall', 'deleteNamespace'] as const)(
  'no longer calls a cluster unreachable once a decision was made in it: %s',
  (what) => {
    const away = { ...row, status: 'deleting', lastError: raise.ClusterUnreachable('no answer').failure } as const
    const decision = { step: { do: what, timeoutMs: 1 } as Decision['step'], status: 'deleting' } as const
    expect(record(away, { is: 'decided', decision }, NOW)).toMatchObject({ lastError: null })
  },
)

it('calls it an error when nobody tries again', () => {
  const busy = raise.QuotaExceeded('exceeded quota: q').failure
  const broken = raise.SchemaViolation('/user/replicas must be an integer').failure
  expect(record(row, { is: 'failed', failure: busy, retryAt: NOW + 9 }, NOW)).toEqual({
    lastError: busy,
    nextReconcileAt: NOW + 9,
    lastReconcileAt: NOW,
  })
  expect(record(row, { is: 'failed', failure: busy, retryAt: null }, NOW)).toMatchObject({ status: 'error' })
  expect(record(row, { is: 'failed', failure: broken, retryAt: null }, NOW)).toMatchObject({
    status: 'error',
    lastError: { code: 'SchemaViolation' },
    nextReconcileAt: null,
  })
})

it('keeps why it cannot go on, and what it waits for', () => {
  const failure = raise.NamespaceTaken('namespace ns exists').failure
  const refused: Happened = { is: 'decided', decision: { step: { do: 'refuse', failure }, status: 'error' } }
  const patch = record(row, refused, NOW)
  expect(patch).toEqual({ status: 'error', lastError: failure, nextReconcileAt: null, lastReconcileAt: NOW })
  expect(record({ ...row, ...patch }, refused, NOW + 1)).toBeUndefined()

  const blocked = raise.NamespaceBlocked('a finalizer').failure
  const step = { do: 'waitFor', because: 'a finalizer', ms: 60_000, failure: blocked } as const
  expect(record(row, { is: 'decided', decision: { step, status: 'deleting' } }, NOW)).toMatchObject({
    lastError: blocked,
  })
})

it('says which generation it speaks of, and remembers rollout and what cannot be changed back', () => {
  const rollout = rolloutFor(row, 'digest')
  const unrepairable = [{ object: 'PersistentVolumeClaim/data', path: 'spec.resources', because: 'it cannot shrink' }]
  const decided: Happened = {
    is: 'decided',
    decision: { step: { do: 'nothing' }, status: 'ready', rollout },
    unrepairable,
  }
  const patch = record({ ...row, statusGeneration: 2 }, decided, NOW)
  expect(patch).toMatchObject({ statusGeneration: 3, rollout, unrepairable })
  expect(record({ ...row, ...patch }, decided, NOW + 1)).toBeUndefined()
})
