import type { Command } from 'commander'
import { chartSourceCommands } from './chart-sources.ts'
import { deploymentCommands } from './deployments.ts'
import { insightCommands } from './insight.ts'
import { jobCommands } from './jobs.ts'
import { productCommands } from './products.ts'
import { revisionCommands } from './revisions.ts'
import { templateCommands } from './templates.ts'
import { tenantCommands } from './tenants.ts'
import { workerCommands, type AppsCliPorts } from './worker.ts'

export type { AppsWorkerOptions, AppsWorkerPort } from './worker.ts'

const ALL = [
  tenantCommands,
  productCommands,
  templateCommands,
  chartSourceCommands,
  deploymentCommands,
  revisionCommands,
  insightCommands,
  jobCommands,
  workerCommands,
]

export function appsCommands(program: Command, ports: AppsCliPorts): void {
  program.commandsGroup('Apps:')
  for (const add of ALL) add(program, ports)
}
