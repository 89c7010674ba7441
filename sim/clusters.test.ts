import { expect, test } from 'vitest'
import { explore, report, run } from './scenario.ts'
import { clustersScenario, type ClustersVariant } from './scenarios/clusters.ts'

/** Planted: says that the row is written when it was not. */
const lyingRows: ClustersVariant = ({ rows }) => ({ rows: { ...portOf(rows), write: async () => true } })

/** Planted: takes every Shoot for one without a row, and nothing for too many of them. */
const forgetful: ClustersVariant = ({ rows }) => ({
  rows: { ...portOf(rows), living: async () => new Set<string>() },
  orphans: { graceMs: 0, atMost: 100 },
})

/** Planted: says that a Shoot is deleted when it is not. */
const lyingGardener: ClustersVariant = ({ gardener }) => ({ gardener: { ...gardener, remove: async () => true } })

/** Its methods are behind a proxy, which a spread does not see. */
const portOf = (rows: Parameters<ClustersVariant>[0]['rows']): typeof rows => ({
  load: (id) => rows.load(id),
  write: (id, fence, patch, events) => rows.write(id, fence, patch, events),
  page: (after, limit) => rows.page(after, limit),
  living: (ids) => rows.living(ids),
  known: (ids) => rows.known(ids),
  organizations: (ids) => rows.organizations(ids),
  count: () => rows.count(),
  seen: (instance) => rows.seen(instance),
})

test('the clusters worker keeps its laws under 200 fault schedules', { timeout: 600_000 }, async () => {
  const { seeds, found } = await explore(clustersScenario(), { seeds: 200 })
  expect(found && report(found)).toBeUndefined()
  expect(seeds).toBe(200)
})

const HELD = 'a Shoot is written by its holder alone, and told as it is'

/** Which of these laws a lie breaks first depends on when they are checked. */
const OF_LIES = ['the world comes to rest', 'no Shoot is left without a row', 'every row is true']

test.each([
  ['only says that it wrote its rows', lyingRows, OF_LIES],
  ['takes every Shoot for an orphan', forgetful, [HELD]],
  ['only says that it deletes', lyingGardener, OF_LIES],
])('a worker that %s is found, and its seed replays exactly', { timeout: 600_000 }, async (_, variant, laws) => {
  const scenario = clustersScenario('clusters-broken', variant)
  const { found } = await explore(scenario, { seeds: 20 })
  expect(laws).toContain(found?.broken?.law)
  expect(await run(scenario, found?.seed ?? 0)).toEqual(found)
})
