import { describe, expect, it } from 'vitest'
import type { Decision } from './decide.ts'
import { raise } from './failures.ts'
import type { LiveShoot } from './observed.ts'
import { record, type Done, type Happened } from './record.ts'
import type { SyncState } from './types.ts'

const NOW = 5_000

const live: LiveShoot = {
  namespace: 'garden-p1',
  name: 'c1',
  uid: 'u1',
  kubernetesVersion: '1.34.3',
  isHibernated: false,
  operation: null,
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
const {
  createdAt: _c,
  isDeleting: _d,
  generation: _g,
  observedGeneration: _o,
  isToHibernate: _h,
  operationId: _i,
  ...summary
} = live

const row: SyncState = {
  generation: 2,
  syncedGeneration: 2,
  syncedAt: 1_000,
  failure: null,
  attempts: 0,
  lastAttemptAt: 900,
  status: 'ready',
  statusMessage: 'it runs',
  statusFailure: null,
  statusChangedAt: 1_000,
  shoot: summary,
  retries: 0,
  closedOperation: null,
}

const READY: Decision = {
  step: { do: 'nothing' },
  truth: { status: 'ready', message: 'it runs', failure: null },
  isSynced: true,
  retries: 0,
}
const APPLY: Done = { do: 'apply', why: 'changed', fields: [] }

const decided = (decision: Partial<Decision> = {}, over: { done?: Done; attempt?: number } = {}): Happened => ({
  is: 'decided',
  decision: { ...READY, ...decision },
  live,
  done: over.done,
  attempt: over.attempt ?? 0,
})

describe('record', () => {
  it('writes the same truth once', () => {
    expect(record(row, decided(), NOW)).toBeUndefined()
  })

  it('tells a change of status with its time, and a new message without an event', () => {
    const truth = { status: 'progressing', message: 'at it', failure: null } as const
    expect(record(row, decided({ truth }), NOW)).toEqual({
      patch: { status: 'progressing', statusMessage: 'at it', statusChangedAt: NOW },
      events: [{ type: 'status_progressing', message: 'at it' }],
    })
    expect(record(row, decided({ truth: { ...READY.truth, message: 'it runs on' } }), NOW)).toEqual({
      patch: { statusMessage: 'it runs on' },
      events: [],
    })
  })

  it('tells an error that becomes another', () => {
    const failure = raise.ShootFailed('no').failure
    const failing = { ...row, status: 'error', statusMessage: 'no', statusFailure: failure } as const
    const other = raise.InfrastructureQuota('no').failure
    const truth = { status: 'error', message: 'no', failure: other } as const
    expect(record(failing, decided({ truth }), NOW)).toEqual({
      patch: { statusFailure: other },
      events: [{ type: 'status_error', message: 'no' }],
    })
  })

  it('a claim says that and what is tried, and leaves the status alone', () => {
    const step = { do: 'apply', why: 'drift', fields: ['spec.region'] } as const
    const truth = { status: 'progressing', message: 'x', failure: null } as const
    expect(record(row, decided({ step, truth, isSynced: false }, { attempt: 2 }), NOW)).toEqual({
      patch: { lastAttemptAt: NOW },
      events: [{ type: 'sync_claimed', message: 'a change by hand is being undone: spec.region', attempt: 3 }],
    })
  })

  it('a claim after something was done tells what the Shoot says by then', () => {
    const before = { ...row, generation: 3, syncedAt: null }
    const step = { do: 'operate', operation: 'reconcile', by: 'person', id: 'op1' } as const
    const truth = { status: 'progressing', message: 'at it', failure: null } as const
    const { patch, events } = record(before, decided({ step, truth }, { done: APPLY }), NOW) ?? {}
    expect(patch).toMatchObject({ syncedGeneration: 3, status: 'progressing', lastAttemptAt: NOW })
    expect(events?.map(({ type }) => type)).toEqual(['sync_succeeded', 'status_progressing', 'sync_claimed'])
  })

  it('what counts as written is told with the status of it', () => {
    const before = { ...row, generation: 3, syncedAt: null }
    const step = { do: 'operate', operation: 'retry', by: 'caelus' } as const
    const failure = raise.ShootFailed('no').failure
    const truth = { status: 'error', message: 'no', failure } as const
    expect(record(before, decided({ step, truth, isSynced: true }), NOW)?.patch).toMatchObject({
      syncedGeneration: 3,
      status: 'error',
    })
  })

  it('a run that only looks claims nothing', () => {
    const steps = [{ do: 'ensureNamespace' }, { do: 'forget' }] as const
    for (const step of steps) expect(record(row, decided({ step, isSynced: false }), NOW)).toBeUndefined()
  })

  it('completes the generation that was loaded, together with what the Shoot says by then', () => {
    const before = { ...row, generation: 3, syncedAt: null, failure: raise.ShootRefused('no').failure, attempts: 4 }
    const truth = { status: 'progressing', message: 'at it', failure: null } as const
    expect(record(before, decided({ truth }, { done: APPLY }), NOW)).toEqual({
      patch: {
        syncedGeneration: 3,
        syncedAt: NOW,
        failure: null,
        attempts: 0,
        status: 'progressing',
        statusMessage: 'at it',
        statusChangedAt: NOW,
      },
      events: [
        { type: 'sync_succeeded', message: 'the change was written to its Shoot' },
        { type: 'status_progressing', message: 'at it' },
      ],
    })
  })

  it('does not complete what was not written', () => {
    const before = { ...row, generation: 3, syncedAt: null }
    const step = { do: 'waitFor', ms: 1, because: 'x' } as const
    expect(record(before, decided({ step, isSynced: false }), NOW)).toBeUndefined()
  })

  it('moves the time of the sync with a repair, and not with a look', () => {
    expect(record(row, decided({}, { done: { do: 'apply', why: 'drift', fields: [] } }), NOW)?.patch).toEqual({
      syncedAt: NOW,
    })
  })

  it('counts the tries that Caelus asked for, not those of people', () => {
    const retry = { do: 'operate', operation: 'retry' } as const
    expect(record(row, decided({}, { done: { ...retry, by: 'caelus' } }), NOW)?.patch).toMatchObject({ retries: 1 })
    expect(record(row, decided({}, { done: { ...retry, by: 'person', id: 'a' } }), NOW)?.patch).not.toHaveProperty(
      'retries',
    )
  })

  it('waiting costs no attempt, and says why if there is a reason to worry', () => {
    const failure = raise.ShootTerminating('no').failure
    const step = { do: 'waitFor', ms: 1, because: 'x', failure } as const
    expect(record({ ...row, attempts: 3 }, decided({ step }), NOW)?.patch).toEqual({ failure, attempts: 0 })
  })

  it('a failed run counts, with what was found out before', () => {
    const failure = raise.ShootRefused('no').failure
    const truth = { status: 'progressing', message: 'not written', failure: null } as const
    expect(record(row, { is: 'failed', failure, attempts: 2, truth }, NOW)).toEqual({
      patch: {
        failure,
        attempts: 2,
        lastAttemptAt: NOW,
        status: 'progressing',
        statusMessage: 'not written',
        statusChangedAt: NOW,
      },
      events: [
        { type: 'status_progressing', message: 'not written' },
        { type: 'sync_failed', message: 'no', attempt: 2 },
      ],
    })
  })

  it('an unreachable Gardener is told once and counts nothing', () => {
    const failure = raise.GardenerUnreachable('refused 1').failure
    const recorded = record(row, { is: 'failed', failure }, NOW)
    expect(recorded).toEqual({ patch: { failure }, events: [{ type: 'sync_failed', message: 'refused 1' }] })
    const again = raise.GardenerUnreachable('refused 2').failure
    expect(record({ ...row, failure }, { is: 'failed', failure: again }, NOW)).toBeUndefined()
    expect(record({ ...row, failure }, decided(), NOW)?.patch).toEqual({ failure: null })
  })

  it('what is gone is deleted, and its deletion is complete', () => {
    const deleting = { ...row, generation: 3, syncedAt: null, status: 'deleting', statusMessage: 'x' } as const
    expect(record(deleting, { is: 'gone' }, NOW)).toEqual({
      patch: {
        status: 'deleted',
        statusMessage: 'its Shoot is gone',
        statusChangedAt: NOW,
        syncedGeneration: 3,
        syncedAt: NOW,
        shoot: null,
      },
      events: [{ type: 'status_deleted', message: 'its Shoot is gone' }],
    })
  })
})
