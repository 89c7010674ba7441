import type { Command } from 'commander'
import type { Doors } from '../doors.ts'
import { runtimeLifeCommands } from './runtimes-life.ts'
import { runtimePackageCommands } from './runtimes-package.ts'
import { controllersCommands } from './runtimes-controllers.ts'

const ALL = [runtimeLifeCommands, runtimePackageCommands, controllersCommands]

export function runtimesCommands(program: Command, doors: Doors): void {
  for (const add of ALL) add(program, doors)
}
