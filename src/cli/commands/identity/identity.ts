import type { Command } from 'commander'
import type { CliPorts } from '../../ports.ts'
import { memberCommands } from './members.ts'
import { organizationCommands } from './organizations.ts'
import { tokenCommands } from './tokens.ts'
import { userCommands } from './users.ts'

export function identityCommands(program: Command, ports: CliPorts): void {
  for (const add of [tokenCommands, userCommands, organizationCommands, memberCommands]) add(program, ports)
}
