import { describe, expect, it } from 'vitest'
import { decide, type DecideInput } from './decide.ts'
import { explain, type ExplainInput } from './explain.ts'
import { raise } from './failures.ts'
import { NO_DRIFT, type Observed } from './observed.ts'
import { APPS_BACKOFF, rolloutFor } from './rollout.ts'

const NOW = 1_000_000
const row = {
  status: 'ready',
  generation: 2,
  observedGeneration: 2,
  lastError: null,
  namespaceName: 'hello-bob-abc123',
  releaseName: 'hello-bob-abc123',
  appliedTemplateId: '1',
  retries: 0,
  clusterId: null,
  suspendedAt: null,
  rollout: null,
  deletedAt: null,
} as const
const release = { is: 'deployed', revision: 3, digest: 'd', claims: ['data'], updatedAt: NOW } as const
const world: Observed = { namespace: { is: 'active' }, release, health: { is: 'ready' }, drift: NO_DRIFT }
const wanted: DecideInput['wanted'] = { digest: 'd', healthTimeoutMs: 600_000, claims: ['data'] }

const told = (
  deployment: ExplainInput['deployment'] & DecideInput['deployment'],
  seen: Partial<Observed> = {},
  job: ExplainInput['job'] = null,
  want: DecideInput['wanted'] = wanted,
) => {
  const all = { ...world, ...seen }
  const decision = decide({ deployment, wanted: want, seen: all, attempt: 0, backoff: APPS_BACKOFF }, NOW)
  return explain({ deployment, seen: all, decision, job }, NOW)
}
const queued = (inMs: number, attempt = 0) => ({ status: 'queued', attempt, runAfter: NOW + inMs }) as const

describe('explain', () => {
  it('has nothing to report of what is as desired', () => {
    expect(told(row)).toEqual({
      why: [
        'what was asked for last is applied',
        'release hello-bob-abc123 is deployed in revision 3',
        'everything in it is healthy',
      ],
      next: 'nothing, until something changes',
      at: null,
      whoseMove: 'nobody',
      nextStep: null,
      blockers: [],
    })
  })

  it('says when a failed try is repeated', () => {
    const lastError = raise.ChartUnreachable('registry.example.com does not answer').failure
    const changed = { ...row, status: 'upgrading', generation: 3, lastError } as const
    expect(told(changed, {}, queued(12_000, 2), { ...wanted, digest: 'e', claims: ['data', 'more'] })).toMatchObject({
      why: [
        'change 3 is not applied yet; the control plane was last seen to match change 2',
        'the last try failed: registry.example.com does not answer (ChartUnreachable)',
        'release hello-bob-abc123 is deployed in revision 3',
        'everything in it is healthy',
      ],
      next: 'release hello-bob-abc123 is upgraded (in 12 s, try 3)',
      at: NOW + 12_000,
      whoseMove: 'platform',
    })
  })

  it('names what blocks a deletion, and whose move that is', () => {
    const blockers = [
      { kind: 'object', name: 'PersistentVolumeClaim data', finalizer: 'example.com/hold', why: 'nobody removes it' },
    ] as const
    const seen = { namespace: { is: 'terminating', since: 0, blockers } } as const
    const answer = told({ ...row, status: 'deleting', deletedAt: 1 }, seen, queued(60_000))
    expect(answer).toMatchObject({
      why: ['it is to be deleted', 'namespace hello-bob-abc123 is being deleted'],
      blockers: ['PersistentVolumeClaim data waits for finalizer example.com/hold: nobody removes it'],
      whoseMove: 'operator',
      at: NOW + 60_000,
    })
    expect(answer.next).toMatch(/^it is looked at again: namespace .* \(in 60 s\)$/)
    expect(answer.nextStep).toMatch(/^Remove what the message names/)
  })

  it('tells what was repaired and what was left alone', () => {
    const drift = {
      edited: ['Deployment/web'],
      missing: ['Service/web'],
      handedOver: [{ object: 'Deployment/web', path: 'spec.replicas', owner: 'kube-controller-manager (scale)' }],
      ignored: [{ object: 'Deployment/web', path: 'spec.paused', rule: '/spec/paused of Deployment' }],
      unrepairable: [{ object: 'PersistentVolumeClaim/data', path: 'spec.resources', because: 'it cannot shrink' }],
    }
    const job = { status: 'running', attempt: 0, runAfter: NOW } as const
    const { why, next } = told(row, { drift }, job)
    expect(why.slice(-5)).toEqual([
      'Service/web was deleted by hand',
      'Deployment/web was edited by hand',
      'spec.replicas of Deployment/web is left to kube-controller-manager (scale)',
      'spec.paused of Deployment/web differs: the template ignores /spec/paused of Deployment',
      'spec.resources of PersistentVolumeClaim/data was changed by hand and cannot be changed back: it cannot shrink',
    ])
    expect(next).toBe('Service/web, Deployment/web are restored (now)')
  })

  it('does not take a worker that is at it for a dead one', () => {
    const pending = { is: 'pending', kind: 'upgrade', revision: 4, digest: 'e', claims: [] } as const
    const job = { status: 'running', attempt: 0, runAfter: NOW } as const
    const changed = { ...row, status: 'upgrading', generation: 3 } as const
    const running = told(changed, { release: pending }, job)
    expect(running.why.at(-1)).toBe('the upgrade of revision 4 of release hello-bob-abc123 is under way')
    expect(running.next).toBe('it is applied (now)')
    expect(told(changed, { release: pending }).why.at(-1)).toMatch(/^a worker died/)
  })

  it('promises no step of a job that is parked', () => {
    const lastError = raise.HelmFailed('there is no helm').failure
    const changed = { ...row, status: 'error', generation: 3, lastError } as const
    const parked = { status: 'failed', attempt: 0, runAfter: NOW } as const
    const answer = told(changed, {}, parked, { ...wanted, digest: 'e' })
    expect(answer).toMatchObject({ at: null, whoseMove: lastError.whoseMove, nextStep: lastError.nextStep })
    expect(answer.next).toMatch(/^nothing, until the job is requeued/)
  })

  it('says that nothing is tried any more, and who can change that', () => {
    const failure = raise.NeverHealthy('pods do not start').failure
    const state = { ...rolloutFor(row, 'e'), failures: 9, failure, failedAt: 0 }
    const stalled = { ...row, status: 'stalled', generation: 3, rollout: state } as const
    expect(
      told(stalled, {}, { status: 'failed', attempt: 5, runAfter: NOW }, { ...wanted, digest: 'e' }),
    ).toMatchObject({
      next: 'nothing, until the deployment or its template changes',
      whoseMove: 'operator',
      nextStep: expect.stringContaining('retry it') as unknown,
    })
  })

  it('says who has to do something when it cannot go on', () => {
    const problem = raise.SchemaViolation('/user/replicas must be a whole number').failure
    expect(told({ ...row, generation: 3 }, {}, null, { problem })).toMatchObject({
      next: 'nothing, until the deployment or its template changes',
      whoseMove: 'user',
      nextStep: problem.nextStep,
    })
  })
})
