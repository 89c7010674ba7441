import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { sameValue } from '../../kernel/index.ts'
import { decide, SLOW_DELETE_MS, type Wanted } from './decide.ts'
import { NO_DRIFT, type Observed } from './observed.ts'
import { record } from './record.ts'
import { APPS_BACKOFF } from './rollout.ts'
import type { Step } from './steps/types.ts'
import { DEPLOYMENT_STATUSES, type Deployment } from './types.ts'

const WANTED: Wanted = { digest: 'new', healthTimeoutMs: 600_000, claims: ['data'] }
const facts = fc.record({
  revision: fc.integer({ min: 1, max: 9 }),
  digest: fc.constantFrom('old', 'new'),
  claims: fc.subarray(['data', 'cache']),
})
const releases = fc.oneof(
  fc.constant({ is: 'absent' } as const),
  facts.map((f) => ({ is: 'deployed', updatedAt: 0, ...f }) as const),
  fc.tuple(facts, fc.constantFrom('failed', 'superseded', 'uninstalling')).map(([f, is]) => ({ is, ...f })),
  fc
    .tuple(facts, fc.constantFrom('install', 'upgrade', 'rollback'))
    .map(([f, kind]) => ({ is: 'pending', kind, ...f }) as const),
)
const names = fc.subarray(['Deployment/web', 'Service/web'])
const worlds: fc.Arbitrary<Observed> = fc.record({
  namespace: fc.constantFrom(
    { is: 'absent' },
    { is: 'active' },
    { is: 'terminating', since: 0, blockers: [] },
    { is: 'foreign' },
  ),
  release: releases,
  health: fc.constantFrom<Observed['health']>(
    { is: 'ready' },
    { is: 'progressing', because: 'pods start' },
    { is: 'failing', diagnostics: { code: 'NeverHealthy', message: 'crash loop' } },
  ),
  drift: fc.record({
    edited: names,
    missing: names,
    handedOver: fc.constant([]),
    ignored: fc.constant([]),
    unrepairable: fc.constantFrom([], [{ object: 'Service/web', path: 'spec', because: 'no' }]),
  }),
})
const deployments: fc.Arbitrary<Deployment> = fc
  .record({
    status: fc.constantFrom(...DEPLOYMENT_STATUSES),
    generation: fc.integer({ min: 1, max: 3 }),
    appliedTemplateId: fc.constantFrom(null, '1', '2'),
    deletedAt: fc.constantFrom(null, 5),
  })
  .map((some) => ({
    id: '1',
    deploymentUid: 'ns',
    namespaceName: 'ns',
    releaseName: 'ns',
    userId: '1',
    domainname: 'a.example',
    userValues: {},
    sealedValues: {},
    desiredTemplateId: '2',
    observedGeneration: 0,
    statusGeneration: 0,
    retries: 0,
    rollout: null,
    unrepairable: [],
    clusterId: null,
    suspendedAt: null,
    lastError: null,
    lastReconcileAt: null,
    nextReconcileAt: null,
    createdAt: 0,
    ...some,
  }))

/** A world in which every step succeeds and whoever is waited for does their part. */
function cooperate(world: Observed, step: Step): Observed {
  const release = world.release
  switch (step.do) {
    case 'ensureNamespace':
      return { ...world, namespace: { is: 'active' }, release: { is: 'absent' } }
    case 'unlockRelease':
      return 'revision' in release ? { ...world, release: { ...release, is: 'failed' } } : world
    case 'install':
    case 'upgrade':
      return {
        ...world,
        release: { is: 'deployed', revision: 1, digest: WANTED.digest, claims: ['data'], updatedAt: 0 },
        health: { is: 'progressing', because: 'pods start' },
        drift: NO_DRIFT,
      }
    case 'rollBack':
      return { ...world, release: { is: 'deployed', revision: 9, digest: 'old', claims: [], updatedAt: 0 } }
    case 'repairObjects':
      return { ...world, drift: NO_DRIFT }
    case 'uninstall':
      return { ...world, release: { is: 'absent' } }
    case 'deleteNamespace':
      return { ...world, namespace: { is: 'terminating', since: 0, blockers: [] } }
    case 'waitFor':
      return world.namespace.is === 'terminating'
        ? { ...world, namespace: { is: 'absent' }, release: { is: 'absent' } }
        : { ...world, health: { is: 'ready' } }
    case 'refuse':
      return { ...world, health: { is: 'ready' } }
    case 'nothing':
      return world
    default:
      return step satisfies never
  }
}

function run(deployment: Deployment, world: Observed, steps: number) {
  let [row, seen] = [deployment, world]
  const taken: Step[] = []
  for (let n = 0; n < steps; n++) {
    const decision = decide(
      { deployment: row, wanted: WANTED, seen, attempt: 0, backoff: APPS_BACKOFF },
      SLOW_DELETE_MS,
    )
    row = { ...row, ...record(row, { is: 'decided', decision }, n) }
    taken.push(decision.step)
    seen = cooperate(seen, decision.step)
  }
  return { row, seen, taken }
}

it('reaches ready or deleted from every world of its own in at most ten steps, and then does nothing', () => {
  fc.assert(
    fc.property(deployments, worlds, (deployment, world) => {
      fc.pre(world.namespace.is !== 'foreign')
      const { row, taken } = run(deployment, world, 10)
      expect(taken.slice(-2)).toEqual([{ do: 'nothing' }, { do: 'nothing' }])
      expect(row.status).toBe(deployment.deletedAt === null ? 'ready' : 'deleted')
      expect(row.observedGeneration).toBe(row.generation)
      const again = decide(
        { deployment: row, wanted: WANTED, seen: run(deployment, world, 10).seen, attempt: 0, backoff: APPS_BACKOFF },
        0,
      )
      expect(record(row, { is: 'decided', decision: again }, 99)).toBeUndefined()
    }),
    { numRuns: 2_000 },
  )
})

it('never comes back to a world it has left', () => {
  fc.assert(
    fc.property(deployments, worlds, (deployment, world) => {
      const visited: Observed[] = []
      let seen = world
      for (const step of run(deployment, world, 10).taken) {
        const next = cooperate(seen, step)
        if (sameValue(next, seen)) continue
        expect(visited.some((old) => sameValue(old, next))).toBe(false)
        visited.push(seen)
        seen = next
      }
    }),
    { numRuns: 1_000 },
  )
})

it('touches nothing in a namespace that is not ours', () => {
  fc.assert(
    fc.property(deployments, worlds, (deployment, world) => {
      const seen: Observed = { ...world, namespace: { is: 'foreign' } }
      const { step } = decide({ deployment, wanted: WANTED, seen, attempt: 0, backoff: APPS_BACKOFF }, 0)
      expect(['refuse', 'nothing']).toContain(step.do)
    }),
  )
})

it('deletes in the same way whatever became of the template', () => {
  fc.assert(
    fc.property(deployments, worlds, fc.nat(5), (deployment, seen, attempt) => {
      const gone = { ...deployment, deletedAt: 5 }
      const problem = {
        code: 'TemplateMissing',
        message: '',
        whoseMove: 'operator',
        retryable: false,
        nextStep: '',
      } as const
      const without = decide({ deployment: gone, wanted: { problem }, seen, attempt, backoff: APPS_BACKOFF }, 0)
      expect(without).toEqual(decide({ deployment: gone, wanted: WANTED, seen, attempt, backoff: APPS_BACKOFF }, 0))
    }),
  )
})
