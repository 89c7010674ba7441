import { describe, expect, it } from 'vitest'
import { replayed } from '../../../test/support/replay.ts'
import {
  dataPolicy,
  decide as decideOnce,
  SLOW_DELETE_MS,
  type DecideInput,
  type Unwantable,
  type Wanted,
} from './decide.ts'
import { raise } from './failures.ts'
import { NO_DRIFT, type DriftSeen, type HealthSeen, type NamespaceSeen, type ReleaseSeen } from './observed.ts'
import { replays } from './replay.ts'
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
  current: { is: 'deployed', updatedAt: NOW - 1_000, ...facts, digest: 'new' },
  outdated: { is: 'deployed', updatedAt: NOW - 1_000, ...facts },
  failed: { is: 'failed', ...facts },
  pendingInstall: { is: 'pending', kind: 'install', ...facts },
  pendingUpgrade: { is: 'pending', kind: 'upgrade', ...facts },
  pendingRollback: { is: 'pending', kind: 'rollback', ...facts },
  superseded: { is: 'superseded', ...facts },
  uninstalling: { is: 'uninstalling', ...facts },
} as const satisfies Record<string, ReleaseSeen>
type ReleaseCase = keyof typeof releases

const drifts = {
  none: NO_DRIFT,
  handedOver: { ...NO_DRIFT, handedOver: [{ object: 'Deployment/web', path: 'spec.replicas', owner: 'hpa' }] },
  edited: { ...NO_DRIFT, edited: ['Deployment/web'] },
  missing: { ...NO_DRIFT, missing: ['Service/web'] },
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
} as const
const applied = { ...never, status: 'ready', generation: 2, observedGeneration: 1, appliedTemplateId: '1' } as const

const input = (over: Partial<DecideInput> = {}, seen: Partial<DecideInput['seen']> = {}): DecideInput => ({
  deployment: { ...applied, deletedAt: null },
  wanted,
  attempt: 0,
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

  const IN_SYNC: Record<DriftCase, Record<HealthSeen['is'], Cell>> = {
    none: { ready: ['nothing', 'ready'], progressing: ['waitFor', 'upgrading'], failing: ['refuse', 'error'] },
    handedOver: { ready: ['nothing', 'ready'], progressing: ['waitFor', 'upgrading'], failing: ['refuse', 'error'] },
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

  const OUT_OF_SYNC: Record<DriftCase, StepName> = {
    none: 'upgrade',
    handedOver: 'upgrade',
    edited: 'settleOwnership',
    missing: 'upgrade',
  }
  it.each(['outdated', 'failed', 'superseded'] as const)(
    'settles ownership before it upgrades what is %s',
    (release) => {
      const steps = Object.keys(drifts).map((drift) => {
        const seen = { release: releases[release], drift: drifts[drift as DriftCase] }
        return [drift, decide(input({}, seen), NOW).step.do]
      })
      expect(Object.fromEntries(steps)).toEqual(OUT_OF_SYNC)
    },
  )

  it('tells the upgrade which fields are no longer ours', () => {
    const { step } = decide(input({}, { release: releases.outdated, drift: drifts.handedOver }), NOW)
    expect(step).toMatchObject({ do: 'upgrade', handOver: drifts.handedOver.handedOver })
  })

  it('stays ready while it repairs what was ready', () => {
    const deployment = { ...applied, observedGeneration: 2, deletedAt: null }
    const decision = decide(input({ deployment }, { release: releases.current, drift: drifts.edited }), NOW)
    expect(decision).toEqual({ step: { do: 'repairObjects', objects: ['Deployment/web'] }, status: 'ready' })
  })

  it('gives a rollout the time of its template and no more', () => {
    const seen = { release: releases.current, health: healths.progressing }
    expect(decide(input({}, seen), NOW).step.do).toBe('waitFor')
    expect(decide(input({}, seen), NOW + 600_000).step).toMatchObject({
      do: 'refuse',
      failure: { code: 'NeverHealthy', message: 'not healthy after 600 s: 0 of 1 pods are ready' },
    })
  })

  it('carries the code of the diagnostics', () => {
    const { step } = decide(input({}, { release: releases.current, health: healths.failing }), NOW)
    expect(step).toMatchObject({ failure: { code: 'ImageNeverReady', message: 'image nope:1 cannot be pulled' } })
  })

  it('lets go of a deployment whose namespace was never its own', () => {
    const deployment = { ...never, deletedAt: NOW }
    const seen = { namespace: namespaces.foreign, release: releases.absent }
    expect(decide(input({ deployment }, seen), NOW)).toEqual({ step: { do: 'nothing' }, status: 'deleted' })
  })

  it('leaves hooks out after they have failed often', () => {
    const deployment = { ...applied, deletedAt: NOW }
    const hooksAt = (attempt: number): unknown =>
      decide(input({ deployment, attempt }, { release: releases.failed }), NOW).step
    expect([0, 2, 3].map(hooksAt)).toEqual([true, true, false].map((hooks) => ({ do: 'uninstall', hooks })))
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

describe('dataPolicy', () => {
  it.each([
    { case: 'first install without claims', wanted: [], current: undefined, onFailure: 'uninstall', keepClaims: [] },
    { case: 'first install with a claim', wanted: ['data'], current: undefined, onFailure: 'keep', keepClaims: [] },
    { case: 'the same claims', wanted: ['data'], current: ['data'], onFailure: 'rollBack', keepClaims: [] },
    { case: 'a new claim', wanted: ['data', 'cache'], current: ['data'], onFailure: 'keep', keepClaims: [] },
    { case: 'a dropped claim', wanted: [], current: ['data'], onFailure: 'rollBack', keepClaims: ['data'] },
    { case: 'unknown', wanted: 'unknown' as const, current: ['data'], onFailure: 'keep', keepClaims: ['data'] },
    { case: 'unknown install', wanted: 'unknown' as const, current: undefined, onFailure: 'keep', keepClaims: [] },
  ])('$case: $onFailure', ({ wanted: claims, current, onFailure, keepClaims }) => {
    expect(dataPolicy(claims, current)).toEqual({ onFailure, keepClaims })
  })
})
