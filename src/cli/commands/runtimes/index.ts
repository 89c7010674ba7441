import type { Command } from 'commander'
import type { CliPorts } from '../../ports.ts'
import { runtimeLifeCommands } from './lifecycle.ts'
import { runtimePackageCommands } from './package.ts'

const ALL = [runtimeLifeCommands, runtimePackageCommands]

export function runtimesCommands(program: Command, ports: CliPorts): void {
  program.commandsGroup('Runtimes:')
  for (const add of ALL) add(program, ports)
}
