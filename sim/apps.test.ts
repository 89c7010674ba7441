import { expect, test } from 'vitest'
import type { AppsWorkerDeps } from '../src/domains/apps/index.ts'
import { explore, report, run } from './scenario.ts'
import { appsScenario } from './scenarios/apps.ts'

type Variant = (deps: AppsWorkerDeps) => Partial<AppsWorkerDeps>

/** Planted: says that the row is written when it was not. */
const lyingRows: Variant = ({ rows }) => ({
  rows: {
    ...rows,
    load: (id) => rows.load(id),
    living: (after, limit) => rows.living(after, limit),
    write: async () => true,
  },
})

/** Planted: says that it uninstalled when it did not. */
const lyingHelm: Variant = ({ helm }) => ({
  helm: { ...helm, uninstall: async () => true },
})

test('the apps worker keeps its laws under 200 fault schedules', { timeout: 600_000 }, async () => {
  const { seeds, found } = await explore(appsScenario(), { seeds: 200 })
  expect(found && report(found)).toBeUndefined()
  expect(seeds).toBe(200)
})

test.each([
  ['only says that it wrote its rows', lyingRows, 'the world comes to rest'],
  ['only says that it uninstalled', lyingHelm, 'the world comes to rest'],
])('a worker that %s is found, and its seed replays exactly', { timeout: 600_000 }, async (_, variant, law) => {
  const scenario = appsScenario('apps-broken', variant)
  const { found } = await explore(scenario, { seeds: 20 })
  expect(found?.broken?.law).toBe(law)
  expect(await run(scenario, found?.seed ?? 0)).toEqual(found)
})
