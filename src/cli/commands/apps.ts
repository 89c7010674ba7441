import type { Command } from 'commander'
import type { Doors } from '../doors.ts'
import { deploymentCommands } from './apps-deployments.ts'
import { insightCommands } from './apps-insight.ts'
import { jobCommands } from './apps-jobs.ts'
import { productCommands } from './apps-products.ts'
import { templateCommands } from './apps-templates.ts'
import { userCommands } from './apps-users.ts'
import { workerCommands } from './apps-worker.ts'

const ALL = [
  userCommands,
  productCommands,
  templateCommands,
  deploymentCommands,
  insightCommands,
  jobCommands,
  workerCommands,
]

export function appsCommands(program: Command, doors: Doors): void {
  for (const add of ALL) add(program, doors)
}
