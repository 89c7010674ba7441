import { expect, test } from 'vitest'
import type { RuntimesControllerOptions } from '../src/domains/runtimes/index.ts'
import { runtimesReconcile } from '../src/domains/runtimes/reconciler.ts'
import { settled } from '../src/kernel/index.ts'
import type { Client } from '../src/kube/index.ts'
import { explore, report, run } from './scenario.ts'
import { runtimesMemoryScenario, runtimesScenario } from './scenarios/runtimes.ts'

type MakeReconcile = NonNullable<RuntimesControllerOptions['reconcile']>

/** Planted: takes a failed run for a finished one. */
const givesUp: MakeReconcile = (deps) => {
  const reconcile = runtimesReconcile(deps)
  return (one) => reconcile(one).catch(() => settled())
}

/** Planted: takes fields of other managers. */
const takesAll: MakeReconcile = (deps) => runtimesReconcile({ ...deps, client: takingAll(deps.client) })

const takingAll = (client: Client): Client => ({
  ...client,
  guardedBy: (check) => takingAll(client.guardedBy(check)),
  apply: (resource, object, options) => client.apply(resource, object, { ...options, force: true }),
})

/** Planted: gives up a field before another manager owns it. */
const letsGo: MakeReconcile = (deps) => runtimesReconcile({ ...deps, client: lettingGo(deps.client) })

const lettingGo = (client: Client): Client => ({
  ...client,
  guardedBy: (check) => lettingGo(client.guardedBy(check)),
  apply(resource, object, options) {
    const isHandover = options?.fieldManager === 'oprc-crm-enforcer' && options.force === undefined
    return client.apply(resource, object, isHandover ? { ...options, dryRun: true } : options)
  },
})

test('the runtimes controller keeps its laws under 200 fault schedules', { timeout: 600_000 }, async () => {
  const { seeds, found } = await explore(runtimesScenario(), { seeds: 200 })
  expect(found && report(found)).toBeUndefined()
  expect(seeds).toBe(200)
})

test('and where memory is enforced, while cpu follows the spec, under 50', { timeout: 600_000 }, async () => {
  const { seeds, found } = await explore(runtimesMemoryScenario(), { seeds: 50 })
  expect(found && report(found)).toBeUndefined()
  expect(seeds).toBe(50)
})

/** A deposed leader wrote in these. */
test.each([3, 21])('seed %i stays mended', async (seed) => {
  const verdict = await run(runtimesScenario(), seed)
  expect(verdict.broken && report(verdict)).toBeUndefined()
})

test.each([
  ['forgets what failed', givesUp, 'every class runs as a fresh installation would'],
  ['takes what belongs to others', takesAll, 'objects of others are not changed'],
  ['gives up fields that no other manager owns', letsGo, 'replicas never fall back to a default'],
])('a controller that %s is found, and its seed replays exactly', { timeout: 300_000 }, async (_, reconcile, law) => {
  const scenario = runtimesScenario('runtimes-broken', { reconcile })
  const { found } = await explore(scenario, { seeds: 100 })
  expect(found?.broken?.law).toBe(law)
  expect(await run(scenario, found?.seed ?? 0)).toEqual(found)
})
