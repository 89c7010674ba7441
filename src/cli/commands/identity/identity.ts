import type { Command } from 'commander'
import type { CliPorts } from '../../ports.ts'
import { tokenCommands } from './tokens.ts'
import { userCommands } from './users.ts'

export function identityCommands(program: Command, ports: CliPorts): void {
  tokenCommands(program, ports)
  userCommands(program, ports)
}
