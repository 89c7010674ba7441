import { expect, test } from 'vitest'
import { explore, report, run } from './scenario.ts'
import { appsInClustersScenario } from './scenarios/apps-in-clusters.ts'
import type { Variant } from './scenarios/apps-platform.ts'

/** Planted: installs into the platform's own control plane what belongs into a cluster. */
const homesick: Variant = ({ clusters, helm }) =>
  clusters === undefined
    ? {}
    : { clusters: { ...clusters, connect: (id, config) => ({ ...clusters.connect(id, config), helm }) } }

/** Planted: takes every cluster that gives no access for one that is gone. */
const hasty: Variant = ({ clusters }) =>
  clusters === undefined
    ? {}
    : {
        clusters: {
          ...clusters,
          access: { kubeconfig: (id, signal) => clusters.access.kubeconfig(id, signal).catch(() => undefined) },
        },
      }

test('apps in clusters keep their laws under 200 fault schedules', { timeout: 600_000 }, async () => {
  const { seeds, found } = await explore(appsInClustersScenario(), { seeds: 200 })
  expect(found && report(found)).toBeUndefined()
  expect(seeds).toBe(200)
})

const STAYS = 'what is of a cluster stays in it'
const SHOOTS = 'a Shoot is written by its holder alone, and told as it is'

/** Which of several laws is broken first depends on when they are checked. */
test.each([
  ['installs into the platform what belongs into a cluster', homesick, [STAYS]],
  ['takes clusters that give no access for gone', hasty, ['every app is in its place', SHOOTS, STAYS]],
])('a worker that %s is found, and its seed replays exactly', { timeout: 600_000 }, async (_, variant, laws) => {
  const scenario = appsInClustersScenario('apps-in-clusters-broken', variant)
  const { found } = await explore(scenario, { seeds: 20 })
  expect(laws).toContain(found?.broken?.law)
  expect(await run(scenario, found?.seed ?? 0)).toEqual(found)
})
