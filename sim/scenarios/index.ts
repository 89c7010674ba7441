import type { Scenario } from '../scenario.ts'
import { appsScenario } from './apps.ts'
import { clustersScenario } from './clusters.ts'
import { echoReplicasScenario, echoScenario } from './echo.ts'
import { runtimesMemoryScenario, runtimesScenario } from './runtimes.ts'

export const SCENARIOS: readonly Scenario[] = [
  echoScenario(),
  echoReplicasScenario,
  appsScenario(),
  clustersScenario(),
  runtimesScenario(),
  runtimesMemoryScenario(),
]
