import type { Command } from 'commander'
import { clusterLifeCommands } from './lifecycle.ts'
import { clusterInsightCommands } from './insight.ts'
import { kubeconfigCommands } from './kubeconfig.ts'
import { landscapeCommands } from './landscape.ts'
import { limitCommands } from './limits.ts'
import { nodePoolCommands } from './node-pools.ts'
import { clusterOperateCommands } from './operate.ts'
import { clusterWorkerCommands, type ClustersCliPorts } from './worker.ts'

export type { ClusterWorkerOptions } from './worker.ts'

const ALL = [
  landscapeCommands,
  clusterLifeCommands,
  nodePoolCommands,
  clusterInsightCommands,
  clusterOperateCommands,
  kubeconfigCommands,
  limitCommands,
  clusterWorkerCommands,
]

export function clustersCommands(program: Command, ports: ClustersCliPorts): void {
  program.commandsGroup('Clusters:')
  for (const add of ALL) add(program, ports)
}
