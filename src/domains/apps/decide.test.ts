import { describe, expect, it, test } from 'vitest'
import { replayed } from '../../../test/support/replay.ts'
import {
  decide as decideOnce,
  droppedClaims,
  SLOW_DELETE_MS,
  type DecideInput,
  type Unwantable,
  type Wanted,
} from './decide.ts'
import { raise } from './failures.ts'
import { NO_DRIFT, type DriftSeen, type HealthSeen, type NamespaceSeen, type ReleaseSeen } from './observed.ts'
import { replays } from './replay.ts'
import { APPS_BACKOFF, rolloutFor, type RolloutState } from './rollout.ts'
import type { StepName } from './steps/types.ts'
import type { DeploymentStatus } from './types.ts'

type Cell = readonly [StepName, DeploymentStatus]
const NOW = 1_000_000
const facts = { revision: 3, digest: 'old', claims: [] }
const wanted: Wanted = { digest: 'new', healthTimeoutMs: 600_000, claims: [] }
const unwantable: Unwantable = { problem: raise.TemplateMissing('template 9 is gone').failure }

const namespaces = {
  absent: { is: 'absent' },
  active: { is: 'active' },
  terminating: { is: 'terminating', since: NOW - 1_000, blockers: [] },
  foreign: { is: 'foreign' },
} as const satisfies Record<NamespaceSeen['is'], NamespaceSeen>

const releases = {
  absent: { is: 'absent' },
  current: { is: 'deployed', updatedAt: NOW - 30_000, ...facts, digest: 'new' },
  outdated: { is: 'deployed', updatedAt: NOW - 30_000, ...facts },
  failed: { is: 'failed', ...facts },
  pendingInstall: { is: 'pending', kind: 'install', ...facts },
  pendingUpgrade: { is: 'pending', kind: 'upgrade', ...facts },
  pendingRollback: { is: 'pending', kind: 'rollback', ...facts },
  superseded: { is: 'superseded', ...facts },
  uninstalling: { is: 'uninstalling', ...facts },
  unread: { is: 'unread', because: 'failed to read Secret v3' },
} as const satisfies Record<string, ReleaseSeen>
type ReleaseCase = keyof typeof releases

const drifts = {
  none: NO_DRIFT,
  handedOver: { ...NO_DRIFT, handedOver: [{ object: 'Deployment/web', path: 'spec.replicas', owner: 'hpa' }] },
  edited: { ...NO_DRIFT, edited: ['Deployment/web'] },
  missing: { ...NO_DRIFT, missing: ['Service/web'] },
  unrepairable: {
    ...NO_DRIFT,
    unrepairable: [{ object: 'PersistentVolumeClaim/data', path: 'spec.resources', because: 'it cannot shrink' }],
  },
} as const satisfies Record<string, DriftSeen>
type DriftCase = keyof typeof drifts

const healths = {
  ready: { is: 'ready' },
  progressing: { is: 'progressing', because: '0 of 1 pods are ready' },
  failing: { is: 'failing', diagnostics: { code: 'ImageNeverReady', message: 'image nope:1 cannot be pulled' } },
} as const satisfies Record<HealthSeen['is'], HealthSeen>

const never = {
  namespaceName: 'ns',
  status: 'pending',
  generation: 1,
  observedGeneration: 0,
  appliedTemplateId: null,
  retries: 0,
  rollout: null,
} as const
const applied = { ...never, status: 'ready', generation: 2, observedGeneration: 1, appliedTemplateId: '1' } as const

const input = (over: Partial<DecideInput> = {}, seen: Partial<DecideInput['seen']> = {}): DecideInput => ({
  deployment: { ...applied, deletedAt: null },
  wanted,
  attempt: 0,
  backoff: { baseMs: 10_000, capMs: 600_000, maxAttempts: 3 },
  seen: { namespace: namespaces.active, release: releases.absent, health: healths.ready, drift: NO_DRIFT, ...seen },
  ...over,
})

/** Every case of the table also replays to the same answer from its record. */
const decide: typeof decideOnce = (given, now) => {
  const decision = decideOnce(given, now)
  expect(replayed('apps', { input: given, decision, at: now }, replays)).toEqual({ is: 'same' })
  return decision
}

const all = (cell: Cell): Record<ReleaseCase, Cell> => ({
  absent: cell,
  current: cell,
  outdated: cell,
  failed: cell,
  pendingInstall: cell,
  pendingUpgrade: cell,
  pendingRollback: cell,
  superseded: cell,
  uninstalling: cell,
  unread: cell,
})

/** No Partial: forget a cell and it does not compile. */
const WORLDS: Record<'apply' | 'unwantable' | 'delete', Record<NamespaceSeen['is'], Record<ReleaseCase, Cell>>> = {
  apply: {
    absent: all(['ensureNamespace', 'provisioning']),
    terminating: all(['waitFor', 'provisioning']),
    foreign: all(['refuse', 'error']),
    active: {
      absent: ['install', 'provisioning'],
      current: ['nothing', 'ready'],
      outdated: ['upgrade', 'upgrading'],
      failed: ['upgrade', 'upgrading'],
      pendingInstall: ['unlockRelease', 'upgrading'],
      pendingUpgrade: ['unlockRelease', 'upgrading'],
      pendingRollback: ['unlockRelease', 'upgrading'],
      superseded: ['upgrade', 'upgrading'],
      uninstalling: ['unlockRelease', 'upgrading'],
      unread: ['refuse', 'error'],
    },
  },
  unwantable: {
    absent: all(['refuse', 'error']),
    terminating: all(['refuse', 'error']),
    foreign: all(['refuse', 'error']),
    active: all(['refuse', 'error']),
  },
  delete: {
    absent: all(['nothing', 'deleted']),
    terminating: all(['waitFor', 'deleting']),
    foreign: all(['refuse', 'error']),
    active: { ...all(['uninstall', 'deleting']), absent: ['deleteNamespace', 'deleting'] },
  },
}

const rows = Object.entries(WORLDS).flatMap(([intent, byNamespace]) =>
  Object.entries(byNamespace).flatMap(([namespace, byRelease]) =>
    Object.entries(byRelease).map(([release, cell]) => ({
      intent,
      namespace,
      release,
      step: cell[0],
      status: cell[1],
    })),
  ),
)

describe('decide', () => {
  it.each(rows)('$intent, namespace $namespace, release $release: $step, $status', (row) => {
    const decision = decide(
      input(
        {
          deployment: { ...applied, deletedAt: row.intent === 'delete' ? NOW : null },
          wanted: row.intent === 'apply' ? wanted : unwantable,
        },
        { namespace: namespaces[row.namespace as NamespaceSeen['is']], release: releases[row.release as ReleaseCase] },
      ),
      NOW,
    )
    expect([decision.step.do, decision.status]).toEqual([row.step, row.status])
  })

  const ROLLING: Record<HealthSeen['is'], Cell> = {
    ready: ['nothing', 'ready'],
    progressing: ['waitFor', 'upgrading'],
    failing: ['waitFor', 'upgrading'],
  }
  const IN_SYNC: Record<DriftCase, Record<HealthSeen['is'], Cell>> = {
    none: ROLLING,
    handedOver: ROLLING,
    unrepairable: ROLLING,
    edited: repaired('upgrading'),
    missing: repaired('upgrading'),
  }
  it.each(Object.keys(IN_SYNC) as DriftCase[])('in sync with drift %s: one cell per health', (drift) => {
    const cells = Object.keys(healths).map((health) => {
      const seen = { release: releases.current, drift: drifts[drift], health: healths[health as HealthSeen['is']] }
      const { step, status } = decide(input({}, seen), NOW)
      return [health, [step.do, status]]
    })
    expect(Object.fromEntries(cells)).toEqual(IN_SYNC[drift])
  })

  it.each(Object.keys(drifts) as DriftCase[])('upgrades what is outdated, whatever is with drift %s', (drift) => {
    const seen = { release: releases.outdated, drift: drifts[drift] }
    expect(decide(input({}, seen), NOW).step.do).toBe('upgrade')
  })

  it('tells the upgrade which fields are no longer ours', () => {
    const { step } = decide(input({}, { release: releases.outdated, drift: drifts.handedOver }), NOW)
    expect(step).toMatchObject({ do: 'upgrade', handOver: drifts.handedOver.handedOver })
  })

  it('stays ready while it repairs what was ready', () => {
    const deployment = { ...applied, observedGeneration: 2, deletedAt: null }
    const decision = decide(input({ deployment }, { release: releases.current, drift: drifts.edited }), NOW)
    expect(decision).toEqual({ step: { do: 'repairObjects', objects: ['Deployment/web'] }, status: 'ready' })
  })

  it('lets go of a deployment whose namespace was never its own', () => {
    const deployment = { ...never, deletedAt: NOW }
    const seen = { namespace: namespaces.foreign, release: releases.absent }
    expect(decide(input({ deployment }, seen), NOW)).toEqual({ step: { do: 'nothing' }, status: 'deleted' })
  })

  it('leaves hooks out after they have failed often, and in the end the release', () => {
    const deployment = { ...applied, deletedAt: NOW }
    // Before the job is parked.
    const lastAttempt = (APPS_BACKOFF.maxAttempts ?? Infinity) - 1
    const hooksAt = (attempt: number): unknown =>
      decide(input({ deployment, attempt }, { release: releases.failed }), NOW).step
    expect([0, 1, 2, 3].map(hooksAt)).toEqual([true, true, false, false].map((hooks) => ({ do: 'uninstall', hooks })))
    expect(hooksAt(lastAttempt)).toEqual({ do: 'deleteNamespace' })
  })

  it('names what blocks a namespace, and waits on without giving up', () => {
    const blockers = [
      { kind: 'object', name: 'PersistentVolumeClaim data', finalizer: 'example.com/hold', why: 'nobody removes it' },
      { kind: 'apiService', name: 'v1beta1.metrics.k8s.io', why: 'its service does not answer' },
    ] as const
    const seen = { namespace: { is: 'terminating', since: NOW - SLOW_DELETE_MS, blockers } } as const
    const because =
      'namespace ns cannot go: PersistentVolumeClaim data waits for finalizer example.com/hold: nobody removes it; ' +
      'v1beta1.metrics.k8s.io: its service does not answer'
    expect(decide(input({ deployment: { ...applied, deletedAt: 1 } }, seen), NOW)).toEqual({
      step: { do: 'waitFor', because, ms: 60_000, failure: raise.NamespaceBlocked(because).failure },
      status: 'deleting',
    })
  })
})

function repaired(status: DeploymentStatus): Record<HealthSeen['is'], Cell> {
  const cell: Cell = ['repairObjects', status]
  return { ready: cell, progressing: cell, failing: cell }
}

test.each([
  { wanted: ['data'], current: ['data'], kept: [] },
  { wanted: ['data', 'cache'], current: ['data'], kept: [] },
  { wanted: [], current: ['data'], kept: ['data'] },
  { wanted: 'unknown' as const, current: ['data'], kept: ['data'] },
])('claims $current with $wanted wanted: $kept are kept', ({ wanted: claims, current, kept }) => {
  expect(droppedClaims(claims, current)).toEqual(kept)
})

/** A rollout of `new` after `old` was healthy. */
const rollout = (over: Partial<RolloutState> = {}): RolloutState => ({
  ...rolloutFor({ rollout: null, retries: 0 }, 'new'),
  healthyDigest: 'old',
  ...over,
})
const late = raise.NeverHealthy('too slow').failure
const hook = raise.HookFailed('the migration failed').failure
const broken = raise.ObjectInvalid('spec.replicas must be a number').failure
const once = { failures: 1, failure: late, failedAt: NOW - 1_000 }

describe('a rollout', () => {
  const changed = (state: RolloutState | null, over: Partial<DecideInput['deployment']> = {}) => ({
    deployment: { ...applied, deletedAt: null, rollout: state, ...over },
  })
  const slow = { release: releases.current, health: healths.progressing }

  it('has the time of its template, kept in the row, and is looked at less and less often', () => {
    const first = decide(input(changed(rollout()), slow), NOW)
    expect(first).toMatchObject({ step: { do: 'waitFor', ms: 7_500 }, rollout: { deadlineAt: NOW + 570_000 } })
    const waiting = changed(first.rollout ?? null)
    expect(decide(input(waiting, slow), NOW + 60_000).step).toMatchObject({ do: 'waitFor', ms: 22_500 })
    expect(decide(input(waiting, slow), NOW + 560_000).step).toMatchObject({ do: 'waitFor', ms: 10_000 })
    const { step, status, rollout: after } = decide(input(waiting, slow), NOW + 570_000)
    expect([step.do, status]).toEqual(['waitFor', 'upgrading'])
    expect(step).toMatchObject({ failure: { message: 'not healthy after 600 s: 0 of 1 pods are ready' }, ms: 10_000 })
    expect(after).toMatchObject({ failures: 1, failedRevision: 3 })
  })

  it('is looked at soon, or later where the watch tells of its health', () => {
    const begun = { ...releases.current, updatedAt: NOW }
    const lookAfter = (isWatched: boolean) =>
      decide(input(changed(rollout()), { release: begun, health: { ...healths.progressing, isWatched } }), NOW).step
    expect(lookAfter(false)).toMatchObject({ do: 'waitFor', ms: 2_000 })
    expect(lookAfter(true)).toMatchObject({ do: 'waitFor', ms: 10_000 })
  })

  it('is not judged by what its controllers report in the first moments', () => {
    const early = { release: { ...releases.current, updatedAt: NOW - 1_000 }, health: healths.failing }
    const because = healths.failing.diagnostics.message
    expect(decide(input(changed(rollout()), early), NOW).step).toMatchObject({ do: 'waitFor', because })
  })

  it('that fails goes back to what was healthy, and is tried again after a pause', () => {
    const seen = { ...slow, health: healths.failing, fallback: { revision: 2, claims: [] } }
    const back = decide(input(changed(rollout()), seen), NOW)
    expect(back).toMatchObject({ step: { do: 'rollBack', revision: 2 }, rollout: { failures: 1, rollbacks: 1 } })
    const undone = changed(back.rollout ?? null)
    expect(decide(input(undone, { release: releases.outdated }), NOW + 9_999).step).toMatchObject({
      do: 'waitFor',
      ms: 1,
      failure: { code: 'ImageNeverReady' },
    })
    expect(decide(input(undone, { release: releases.outdated }), NOW + 10_000).step.do).toBe('upgrade')
  })

  it('that Helm could not finish goes back in the same way', () => {
    const state = rollout({ failures: 1, failure: hook, failedAt: NOW })
    const seen = { release: { ...releases.failed, digest: 'new' }, fallback: { revision: 2, claims: [] } }
    expect(decide(input(changed(state), seen), NOW).step).toMatchObject({ do: 'rollBack', revision: 2 })
  })

  it('that a dead worker left goes on forward', () => {
    const seen = { release: { ...releases.failed, digest: 'new' }, fallback: { revision: 2, claims: [] } }
    expect(decide(input(changed(rollout()), seen), NOW).step.do).toBe('upgrade')
  })

  it('has what it brought and the next does not want removed first, as was seen', () => {
    const strayOf = (name: string) => ({
      object: `ConfigMap/${name}`,
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name,
      uid: name,
    })
    const strays = { beforeUpgrade: [strayOf('a')], beforeRollBack: [strayOf('a'), strayOf('b')] }
    const seen = { release: { ...releases.failed, digest: 'new' }, fallback: { revision: 2, claims: [] }, strays }
    expect(decide(input(changed(rollout()), seen), NOW).step).toMatchObject({ remove: strays.beforeUpgrade })
    const state = rollout({ failures: 1, failure: hook, failedAt: NOW })
    expect(decide(input(changed(state), seen), NOW).step).toMatchObject({ remove: strays.beforeRollBack })
  })

  it('does not go back where that would delete a claim that it brought', () => {
    const state = rollout({ failures: 1, failure: hook, failedAt: NOW })
    const seen = { release: { ...releases.failed, claims: ['data'] }, fallback: { revision: 2, claims: [] } }
    expect(decide(input(changed(state), seen), NOW).step.do).toBe('waitFor')
  })

  it('gives up going back in the end', () => {
    const state = rollout({ failures: 1, failure: hook, failedAt: NOW, rollbacks: 5 })
    const seen = { release: releases.failed, fallback: { revision: 2, claims: [] } }
    expect(decide(input(changed(state), seen), NOW).step.do).toBe('waitFor')
  })

  it('is stalled after as many tries as it has, says so, and lets what runs be repaired', () => {
    const state = rollout({ failures: 3, failure: late, failedAt: 0 })
    const over = decide(input(changed(state), { release: releases.outdated }), NOW)
    expect(over).toMatchObject({
      status: 'stalled',
      step: {
        do: 'refuse',
        failure: {
          code: 'NeverHealthy',
          retryable: false,
          message: 'too slow (tried 3 times, and not again by itself)',
          nextStep: expect.stringMatching(/Then change the deployment, or retry it.$/) as unknown,
        },
      },
    })
    const drifted = decide(input(changed(state), { release: releases.outdated, drift: drifts.edited }), NOW)
    expect([drifted.step.do, drifted.status]).toEqual(['repairObjects', 'stalled'])
  })

  it.each([
    ['another digest', {}, 'later'],
    ['a retry by a person', { retries: 1 }, 'new'],
  ])('that is stalled is tried anew after %s', (_, over, digest) => {
    const given = changed(rollout({ failures: 3, failure: late, failedAt: NOW }), over)
    const whole = { ...input(given, { release: releases.outdated }), wanted: { ...wanted, digest } }
    expect(decide(whole, NOW)).toMatchObject({
      step: { do: 'upgrade' },
      rollout: { failures: 0, healthyDigest: 'old' },
    })
  })

  it('that cannot succeed is not tried twice', () => {
    const state = rollout({ failures: 1, failure: broken, failedAt: 0 })
    const decision = decide(input(changed(state), { release: releases.outdated }), NOW)
    expect(decision).toMatchObject({ step: { do: 'refuse', failure: broken }, status: 'error' })
  })

  it('that became healthy after all is ready, whatever was held against it', () => {
    const state = rollout({ failures: 3, failure: late, failedAt: 0, failedRevision: 3 })
    expect(decide(input(changed(state, { status: 'stalled' }), { release: releases.current }), NOW)).toMatchObject({
      step: { do: 'nothing' },
      status: 'ready',
      rollout: { failures: 0, failure: null, healthyDigest: 'new' },
    })
  })

  it('that a person retries runs Helm again where it is deployed and not healthy', () => {
    const state = rollout({ failures: 3, failure: late, failedAt: 0, failedRevision: 3 })
    const given = changed(state, { status: 'stalled', retries: 1 })
    expect(decide(input(given, slow), NOW + 600_000).step.do).toBe('upgrade')
  })

  describe('that was never healthy', () => {
    const first = { ...never, deletedAt: null }
    const failedInstall = { ...releases.failed, digest: 'new', claims: [] }

    it.each([
      ['is removed before the next try', [], 'uninstall'],
      ['is upgraded where it holds claims', ['data'], 'upgrade'],
    ])('%s', (_, claims, expected) => {
      const deployment = { ...first, rollout: rollout({ ...once, failedAt: 0, healthyDigest: null }) }
      expect(decide(input({ deployment }, { release: { ...failedInstall, claims } }), NOW).step.do).toBe(expected)
    })

    it('stays where it can be looked at until the next try is due', () => {
      const deployment = { ...first, rollout: rollout({ ...once, healthyDigest: null }) }
      expect(decide(input({ deployment }, { release: failedInstall }), NOW).step.do).toBe('waitFor')
    })

    it('is upgraded when it is changed before it failed', () => {
      const deployment = { ...first, rollout: { ...rollout(), digest: 'old', healthyDigest: null } }
      expect(decide(input({ deployment }, { release: releases.outdated }), NOW).step.do).toBe('upgrade')
    })
  })
})

describe('what was healthy', () => {
  const deployment = { ...applied, observedGeneration: 2, deletedAt: null, rollout: rollout({ healthyDigest: 'new' }) }
  const down = { ...healths.progressing, isDown: true }
  const seen = { release: releases.current }

  it('is degraded at once when nothing of it answers, with the cause', () => {
    const decision = decide(input({ deployment }, { ...seen, health: down }), NOW)
    expect(decision).toMatchObject({ step: { do: 'waitFor', failure: { code: 'Unhealthy' } }, status: 'degraded' })
    const known = { code: 'NeverHealthy', message: 'pod web-1: CrashLoopBackOff' } as const
    expect(decide(input({ deployment }, { ...seen, health: { ...down, diagnostics: known } }), NOW)).toMatchObject({
      step: { failure: { code: 'Unhealthy', message: 'pod web-1: CrashLoopBackOff' } },
    })
  })

  it('stays ready during a restart, unless that takes too long', () => {
    const restart = { ...seen, health: healths.progressing }
    const decision = decide(input({ deployment }, restart), NOW)
    expect(decision).toMatchObject({ step: { do: 'waitFor' }, status: 'ready', rollout: { deadlineAt: NOW + 600_000 } })
    const waiting = { ...deployment, rollout: decision.rollout ?? null }
    expect(decide(input({ deployment: waiting }, restart), NOW + 600_000).status).toBe('degraded')
  })

  it('is degraded until it is healthy, not only until something answers', () => {
    const ill = { ...deployment, status: 'degraded' as const }
    expect(decide(input({ deployment: ill }, { ...seen, health: healths.progressing }), NOW).status).toBe('degraded')
    expect(decide(input({ deployment: ill }, seen), NOW).status).toBe('ready')
  })

  it('can be changed while it is degraded', () => {
    const changing = { ...deployment, status: 'degraded' as const, generation: 3 }
    const outdated = { release: releases.outdated, health: down }
    expect(decide(input({ deployment: changing }, outdated), NOW).step.do).toBe('upgrade')
  })
})

it.each([
  ['of an app that was never applied', never, 'provisioning'],
  ['of an app that is being changed', applied, 'upgrading'],
  ['of an app that is ready', { ...applied, observedGeneration: 2 }, 'ready'],
] as const)('objects of the platform that differ in the namespace %s are put in order first', (_which, row, status) => {
  const namespace = { is: 'active', differs: ['ResourceQuota/caelus-platform'] } as const
  const deployment = { ...row, deletedAt: null }
  expect(decide(input({ deployment }, { namespace, release: releases.outdated }), NOW)).toEqual({
    step: { do: 'ensureNamespace' },
    status,
  })
})
