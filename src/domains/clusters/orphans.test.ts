import { expect, test } from 'vitest'
import { replayed } from '../../../test/support/replay.ts'
import { createEmitter, manualClock, type Run } from '../../kernel/index.ts'
import type { ClustersEvents } from './events.ts'
import type { Shoot } from './gardener/shoot.ts'
import {
  decideOrphans as decideOnce,
  ORPHAN_LIMITS,
  orphansReconcile,
  type OrphanCandidate,
  type OrphansInput,
} from './orphans.ts'
import { ORPHANS_KEY } from './queue.ts'
import { replays } from './replay.ts'

const NOW = 10 * 3_600_000

const shoot = (id: string, over: Partial<OrphanCandidate> = {}): OrphanCandidate => ({
  clusterId: id,
  organizationId: 'o1',
  namespace: 'garden-p1',
  name: `c${id}`,
  uid: `u${id}`,
  createdAt: 0,
  isDeleting: false,
  ...over,
})

const input = (over: Partial<OrphansInput> = {}): OrphansInput => ({
  shoots: [shoot('1'), shoot('2')],
  organizations: ['o1'],
  living: ['1'],
  rows: 2,
  limits: ORPHAN_LIMITS,
  ...over,
})

/** Recorded under the kind of its key, so that it replays with its own function. */
const decideOrphans: typeof decideOnce = (given, now) => {
  const decision = decideOnce(given, now)
  const ofOrphans = { clusters: (read: unknown, at: number) => replays['clusters']?.(read, at, 'Orphans') }
  expect(replayed('clusters', { input: given, decision, at: now }, ofOrphans)).toEqual({ is: 'same' })
  return decision
}

const namesOf = (over: Partial<OrphansInput>): string[] =>
  decideOrphans(input(over), NOW).remove.map(({ clusterId }) => clusterId)

test('a Shoot without a living row is removed, and one with a row is not', () => {
  expect(decideOrphans(input(), NOW)).toEqual({ remove: [shoot('2')], kept: null })
})

test('a Shoot that was just created is left alone, and so is one that goes already', () => {
  const young = shoot('2', { createdAt: NOW - ORPHAN_LIMITS.graceMs + 1 })
  expect(namesOf({ shoots: [shoot('1'), young] })).toEqual([])
  expect(namesOf({ shoots: [shoot('1'), { ...young, createdAt: NOW - ORPHAN_LIMITS.graceMs }] })).toEqual(['2'])
  expect(namesOf({ shoots: [shoot('1'), shoot('2', { isDeleting: true })] })).toEqual([])
})

test('Shoots of organizations that never had a cluster here belong to another installation', () => {
  const foreign = ['3', '4', '5', '6', '7'].map((id) => shoot(id, { organizationId: 'o2' }))
  expect(decideOrphans(input({ shoots: [shoot('1'), shoot('2'), ...foreign] }), NOW)).toEqual({
    remove: [shoot('2')],
    kept: null,
  })
  expect(namesOf({ shoots: foreign })).toEqual([])
})

test('no more than a few are removed in one pass, the oldest first', () => {
  const living = Array.from({ length: 20 }, (_, i) => `l${i}`)
  const orphans = [5, 3, 1, 4, 2].map((age) => shoot(`${age}`, { createdAt: age }))
  expect(namesOf({ shoots: [...living.map((id) => shoot(id)), ...orphans], living, rows: 20 })).toEqual(['1', '2', '3'])
})

test('an emptied table removes nothing, and says so', () => {
  const { remove, kept } = decideOrphans(input({ living: [], rows: 0, shoots: [shoot('1')] }), NOW)
  expect(remove).toEqual([])
  expect(kept).toMatchObject({
    shoots: ['garden-p1/c1'],
    failure: {
      code: 'OrphansKept',
      message: 'the table of clusters is empty, and 1 Shoots of Caelus exist: garden-p1/c1',
    },
  })
})

test('most Shoots without a row are suspicious when they are many, and not when they are few', () => {
  const shoots = ['1', '2', '3', '4', '5', '6', '7'].map((id) => shoot(id))
  const { remove, kept } = decideOrphans(input({ shoots, living: ['1', '2', '3'], rows: 7 }), NOW)
  expect(remove).toEqual([])
  expect(kept?.failure.message).toContain('4 of 7 Shoots have no row')
  expect(namesOf({ shoots, living: ['1', '2', '3', '4'], rows: 7 })).toEqual(['5', '6', '7'])
  expect(namesOf({ shoots: shoots.slice(0, 3), living: [], rows: 3 })).toEqual(['1', '2', '3'])
  expect(namesOf({ shoots: [...shoots, shoot('8')], living: ['1', '2', '3', '4'], rows: 7 })).toEqual(['5', '6', '7'])
})

const live = (uid: string): Shoot => ({
  apiVersion: 'core.gardener.cloud/v1beta1',
  kind: 'Shoot',
  metadata: {
    name: 'c1',
    namespace: 'garden-p1',
    uid,
    labels: { 'fundament.io/cluster-id': '1', 'fundament.io/organization-id': 'o1' },
  },
  spec: { kubernetes: { version: '1.34.3' }, provider: { type: 'local' } },
})

/** What is removed when this is found right before. */
async function removedAfter({ found, isLiving }: { readonly found: Shoot | undefined; readonly isLiving: boolean }) {
  const removed: string[] = []
  let looks = 0
  const reconcile = orphansReconcile({
    gardener: {
      list: async () => [live('u1')],
      find: async () => found,
      remove: async ({ metadata }, { fence }) => removed.push(`${metadata.uid} under ${fence}`) > 0,
    },
    rows: {
      living: async (ids) => new Set(++looks > 1 && isLiving ? ids : []),
      organizations: async (ids) => new Set(ids),
      count: async () => ({ living: 1, all: 1 }),
    },
    clock: manualClock(NOW),
    emitter: createEmitter<ClustersEvents>(),
    everyMs: 60_000,
  })
  const run: Run = {
    key: ORPHANS_KEY,
    attempt: 0,
    fence: 7,
    signal: new AbortController().signal,
    assertLeased: () => {},
    yieldPlace: () => false,
    decided: () => {},
  }
  expect(await reconcile(run)).toMatchObject({ next: 'after', ms: 60_000 })
  return removed
}

test('each is checked once more right before it is removed, under the fence', async () => {
  expect(await removedAfter({ found: live('u1'), isLiving: false })).toEqual(['u1 under 7'])
  expect(await removedAfter({ found: live('u1'), isLiving: true })).toEqual([])
  expect(await removedAfter({ found: live('u2'), isLiving: false })).toEqual([])
  expect(await removedAfter({ found: undefined, isLiving: false })).toEqual([])
})
