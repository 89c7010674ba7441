import { expect, test } from 'vitest'
import { act } from '../examples/echo/act.ts'
import { echoReconcile } from '../examples/echo/controller.ts'
import { decide } from '../examples/echo/decide.ts'
import { Echo } from '../examples/echo/echo.ts'
import { observe } from '../examples/echo/observe.ts'
import { record } from '../examples/echo/record.ts'
import { type Reconcile, settled } from '../src/kernel/index.ts'
import { explore, report, run } from './scenario.ts'
import { echoReplicasScenario, echoScenario } from './scenarios/echo.ts'

type MakeReconcile = typeof echoReconcile

const atOf = (id: string) => ({ namespace: id.split('/')[0] ?? '', name: id.split('/')[1] ?? '' })

/** Planted: says that it is done before it does it. */
const statusFirst: MakeReconcile =
  (client, caches, clock): Reconcile =>
  async ({ key, signal }) => {
    const seen = observe(caches, atOf(key.id))
    const decision = decide(seen, clock.now())
    await record(client, caches, seen, decision, signal)
    await act(client, caches, decision, signal)
    return settled()
  }

/** Planted: writes the status by name alone, also to a new object of the same name. */
const staleStatus: MakeReconcile =
  (client, caches, clock): Reconcile =>
  async ({ key, signal }) => {
    const at = atOf(key.id)
    const seen = observe(caches, at)
    const decision = decide(seen, clock.now())
    await act(client, caches, decision, signal)
    if (decision.status !== undefined)
      await client.patchStatus(Echo, at, { merge: { status: decision.status } }, { signal })
    return settled()
  }

/** Planted: takes a failed run for a finished one. */
const givesUp: MakeReconcile = (client, caches, clock) => {
  const reconcile = echoReconcile(client, caches, clock)
  return (one) => reconcile(one).catch(() => settled())
}

test('the echo controller keeps its laws under 200 fault schedules', async () => {
  const { seeds, found } = await explore(echoScenario(), { seeds: 200 })
  expect(found && report(found)).toBeUndefined()
  expect(seeds).toBe(200)
}, 600_000)

test('two echo controllers on one durable queue keep the same laws', async () => {
  const { found } = await explore(echoReplicasScenario, { seeds: 50 })
  expect(found && report(found)).toBeUndefined()
}, 600_000)

test.each([
  ['writes its status before the child', statusFirst, 'no Echo is Ready before its ConfigMap said the same'],
  ['writes its status to a namesake', staleStatus, 'no Echo is Ready before its ConfigMap said the same'],
  ['forgets what failed', givesUp, 'every Echo is answered'],
])(
  'a controller that %s is found, and its seed replays exactly',
  async (_, reconcile, law) => {
    const scenario = echoScenario('echo-broken', { reconcile })
    const { found } = await explore(scenario, { seeds: 1_000 })
    expect(found?.broken?.law).toBe(law)
    const again = await run(scenario, found?.seed ?? 0)
    expect(again).toEqual(found)
    expect(report(again)).toContain(`npm run sim -- --scenario echo-broken --seed ${again.seed}`)
  },
  600_000,
)
