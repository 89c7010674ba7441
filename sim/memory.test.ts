import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { run, type Scenario } from './scenario.ts'
import { appsScenario } from './scenarios/apps.ts'
import { echoReplicasScenario } from './scenarios/echo.ts'
import { runtimesScenario } from './scenarios/runtimes.ts'
import type { World } from './world.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** The worlds of some seeds, each held by nothing but a weak reference. */
async function worldsOf(scenario: Scenario, seeds: number): Promise<readonly WeakRef<World>[]> {
  const worlds: WeakRef<World>[] = []
  const setup: Scenario['setup'] = (world) => {
    worlds.push(new WeakRef(world))
    return scenario.setup(world)
  }
  for (let seed = 1; seed <= seeds; seed++) await run({ ...scenario, setup }, seed)
  return worlds
}

test.each([echoReplicasScenario, runtimesScenario(), appsScenario()])(
  'nothing of a world of $name stays in memory after its run',
  { timeout: 600_000 },
  async (scenario) => {
    const worlds = await worldsOf(scenario, 5)
    for (let attempt = 0; attempt < 20; attempt++) {
      await turn()
      collect()
    }
    expect(worlds.filter((world) => world.deref() !== undefined)).toHaveLength(0)
  },
)
