import type { Scenario } from '../scenario.ts'
import { appsScenario } from './apps.ts'
import { appsInClustersScenario } from './apps-in-clusters.ts'
import { clustersScenario } from './clusters.ts'
import { echoReplicasScenario, echoScenario } from './echo.ts'
import { runtimesMemoryScenario, runtimesScenario } from './runtimes.ts'

export const SCENARIOS: readonly Scenario[] = [
  echoScenario(),
  echoReplicasScenario,
  appsScenario(),
  appsInClustersScenario(),
  clustersScenario(),
  runtimesScenario(),
  runtimesMemoryScenario(),
]
