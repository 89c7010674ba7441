import { Command, CommanderError } from 'commander'
import { apiCommands } from './commands/api.ts'
import { controllerCommands } from './commands/controllers.ts'
import { controlPlaneCommands } from './commands/control-plane.ts'
import { decisionCommands } from './commands/decisions.ts'
import { operateCommands } from './commands/operate.ts'
import { shellCommands } from './commands/shell.ts'
import { identityCommands } from './commands/identity/identity.ts'
import { upCommands } from './commands/up.ts'
import { ExitCode, exitCodeOf } from './exit-code.ts'
import type { CliPorts } from './ports.ts'
import { prepareFormat } from './output.ts'
import { printFailure } from './print-failure.ts'

/** Adds commands to the command line. */
export type AddCommands = (program: Command, ports: CliPorts) => void

/** The whole tree of commands, with those of the domains. Nothing runs until it is parsed. */
export function buildProgram(ports: CliPorts, domains: readonly AddCommands[]): Command {
  const program = new Command('caelus')
    .description('One control plane for apps, clusters, runtimes, actions and edge.')
    .version(ports.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help of a command')
    .showHelpAfterError('(caelus --help lists the commands)')
    .configureOutput({ writeOut: (text) => ports.terminal.out(text), writeErr: (text) => ports.terminal.err(text) })
    .exitOverride()
    .hook('preAction', (_, command) => prepareFormat(command.opts()['output']))
  const all = [
    upCommands,
    apiCommands,
    controlPlaneCommands,
    operateCommands,
    decisionCommands,
    identityCommands,
    controllerCommands,
    ...domains,
    shellCommands,
  ]
  for (const add of all) add(program, ports)
  return program
}

/**
 * 0: done. 1: refused or failed. 2: the command line was wrong. 3: not settled within --timeout. A command may answer with
 * 1 or 2: its help says so.
 */
export async function runCli(
  args: readonly string[],
  ports: CliPorts,
  domains: readonly AddCommands[],
): Promise<0 | 1 | 2 | 3> {
  try {
    await buildProgram(ports, domains).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof ExitCode) return error.code
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    printFailure(ports.terminal, error)
    return exitCodeOf(error)
  }
}
