import { describe, expect, it, test } from 'vitest'
import { replayed } from '../../../test/support/replay.ts'
import { createEmitter, manualClock, type Run } from '../../kernel/index.ts'
import type { ClustersEvents } from './events.ts'
import { raise } from './failures.ts'
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
  givenUp: null,
  ...over,
})

const input = (over: Partial<OrphansInput> = {}): OrphansInput => ({
  shoots: [shoot('1'), shoot('2')],
  organizations: ['o1'],
  living: ['1'],
  known: ['1', '2'],
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
  expect(decideOrphans(input(), NOW)).toEqual({ remove: [shoot('2')], retry: [], stuck: [], kept: null })
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
    retry: [],
    stuck: [],
    kept: null,
  })
  expect(namesOf({ shoots: foreign })).toEqual([])
})

test('no more than a few are removed in one pass, the oldest first', () => {
  const living = Array.from({ length: 20 }, (_, i) => `l${i}`)
  const orphans = [5, 3, 1, 4, 2].map((age) => shoot(`${age}`, { createdAt: age }))
  const shoots = [...living.map((id) => shoot(id)), ...orphans]
  const known = shoots.map(({ clusterId }) => clusterId)
  expect(namesOf({ shoots, living, known, rows: 25 })).toEqual(['1', '2', '3'])
})

test('a table that has lost rows removes nothing, however many are left', () => {
  const living = Array.from({ length: 20 }, (_, i) => `l${i}`)
  const lost = ['1', '2', '3', '4'].map((id) => shoot(id))
  const shoots = [...living.map((id) => shoot(id)), ...lost]
  const { remove, kept } = decideOrphans(input({ shoots, living, known: living, rows: 20 }), NOW)
  expect(remove).toEqual([])
  expect(kept?.failure.message).toContain('the table of clusters has lost 4 rows')
  expect(kept?.shoots).toHaveLength(4)
  // One of a deleted cluster is what is looked for; a few that nobody knows are as well.
  expect(namesOf({ shoots, living, known: [...living, '1'], rows: 21 })).toEqual(['1', '2', '3'])
})

test('a table that has lost rows removes nothing while their Shoots come of age one after the other', () => {
  const living = Array.from({ length: 20 }, (_, i) => `l${i}`)
  const old = ['1', '2', '3'].map((id) => shoot(id))
  const lost = (over: Partial<OrphanCandidate>) => {
    const shoots = [...living.map((id) => shoot(id)), ...old, shoot('4', over)]
    return decideOrphans(input({ shoots, living, known: living, rows: 20 }), NOW)
  }
  for (const over of [{ createdAt: NOW }, { isDeleting: true }]) {
    const { remove, kept } = lost(over)
    expect(remove).toEqual([])
    expect(kept?.failure.message).toContain('the table of clusters has lost 4 rows')
    expect(kept?.shoots).toHaveLength(4)
  }
  // Young ones alone are not deleted anyway.
  const young = living.slice(0, 4).map((id) => shoot(id, { createdAt: NOW }))
  expect(decideOrphans(input({ shoots: young, living: [], known: [], rows: 20 }), NOW)).toMatchObject({
    remove: [],
    kept: null,
  })
})

test('an emptied table removes nothing, and says so', () => {
  const { remove, kept } = decideOrphans(input({ living: [], known: [], rows: 0, shoots: [shoot('1')] }), NOW)
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
  const known = ['1', '2', '3', '4', '5', '6', '7', '8']
  const shoots = ['1', '2', '3', '4', '5', '6', '7'].map((id) => shoot(id))
  const { remove, kept } = decideOrphans(input({ shoots, living: ['1', '2', '3'], known, rows: 7 }), NOW)
  expect(remove).toEqual([])
  expect(kept?.failure.message).toContain('4 of 7 Shoots have no row')
  expect(namesOf({ shoots, living: ['1', '2', '3', '4'], rows: 7 })).toEqual(['5', '6', '7'])
  expect(namesOf({ shoots: shoots.slice(0, 3), living: [], rows: 3 })).toEqual(['1', '2', '3'])
  const more = [...shoots, shoot('8')]
  expect(namesOf({ shoots: more, living: ['1', '2', '3', '4'], known, rows: 7 })).toEqual(['5', '6', '7'])
})

describe('a deletion that Gardener gave up', () => {
  const HOUR = 3_600_000
  const { failure } = raise.ShootFailed('a load balancer is left')
  const givenUp = (at: number, mayPass = true): OrphanCandidate =>
    shoot('2', { isDeleting: true, givenUp: { at, failure, mayPass } })
  const decided = (orphan: OrphanCandidate, over: Partial<OrphansInput> = {}) => {
    const { remove, retry, stuck } = decideOrphans(input({ shoots: [shoot('1'), orphan], ...over }), NOW)
    return [remove, retry, stuck].map((shoots) => shoots.length)
  }

  it('is tried again after an hour where that can help', () => {
    expect(decided(givenUp(NOW - HOUR + 1))).toEqual([0, 0, 0])
    expect(decided(givenUp(NOW - HOUR))).toEqual([0, 1, 0])
  })

  it('is told where a person has to act, and not tried again', () => {
    expect(decided(givenUp(0, false))).toEqual([0, 0, 1])
  })

  it('is left alone where the cluster has a row, belongs to another installation, or the table is empty', () => {
    expect(decided(givenUp(0), { living: ['1', '2'] })).toEqual([0, 0, 0])
    expect(decided({ ...givenUp(0), organizationId: 'o2' })).toEqual([0, 0, 0])
    expect(decided(givenUp(0), { shoots: [givenUp(0)], rows: 0, living: [] })).toEqual([0, 0, 0])
  })
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
      annotate: async () => false,
      remove: async ({ metadata }, { fence }) => removed.push(`${metadata.uid} under ${fence}`) > 0,
    },
    rows: {
      living: async (ids) => new Set(++looks > 1 && isLiving ? ids : []),
      known: async (ids) => new Set(ids),
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
