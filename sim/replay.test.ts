import { expect, test } from 'vitest'
import { echoReconcile } from '../examples/echo/controller.ts'
import { replays as echoReplays } from '../examples/echo/index.ts'
import { replays as appsReplays } from '../src/domains/apps/index.ts'
import { replays as runtimesReplays } from '../src/domains/runtimes/index.ts'
import { runtimesReconcile } from '../src/domains/runtimes/reconciler.ts'
import { decisionLog, replay, type DecisionRecord, type Reconcile, type Replays } from '../src/kernel/index.ts'
import { recorded } from '../test/support/replay.ts'
import { run, type Scenario } from './scenario.ts'
import { appsScenario } from './scenarios/apps.ts'
import { echoScenario } from './scenarios/echo.ts'
import { runtimesScenario } from './scenarios/runtimes.ts'
import { hasSentinel } from './standing.ts'

type Keep = (record: DecisionRecord) => void

const listening =
  (controller: string, keep: Keep, reconcile: Reconcile): Reconcile =>
  (given) =>
    reconcile({
      ...given,
      decided(decided) {
        keep(recorded(controller, decided))
        given.decided(decided)
      },
    })

const apps = (keep: Keep): Scenario => {
  const decisions = decisionLog()
  decisions.onAdd((record) => keep(JSON.parse(JSON.stringify(record)) as DecisionRecord))
  return appsScenario('apps', () => ({ decisions }))
}
const runtimes = (keep: Keep): Scenario =>
  runtimesScenario('runtimes', { reconcile: (deps) => listening('runtimes', keep, runtimesReconcile(deps)) })
const echo = (keep: Keep): Scenario =>
  echoScenario('echo', { reconcile: (...deps) => listening('echo', keep, echoReconcile(...deps)) })

test.each<[string, (keep: Keep) => Scenario, Replays]>([
  ['apps', apps, appsReplays],
  ['runtimes', runtimes, runtimesReplays],
  ['echo', echo, echoReplays],
])('every decision of simulated %s replays to the same answer from its record', async (_, scenario, replays) => {
  const records: DecisionRecord[] = []
  for (const seed of [1, 2, 3])
    await run(
      scenario((record) => records.push(record)),
      seed,
    )
  const otherwise = records.filter((record) => replay(record, replays).is !== 'same')
  expect(otherwise).toEqual([])
  expect(records.filter((record) => hasSentinel(JSON.stringify(record)))).toEqual([])
  expect(records.length).toBeGreaterThan(20)
})
