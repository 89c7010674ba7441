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
import { leavesOf } from './reference.ts'
import { commandsMeant } from './suggest.ts'

/** Adds commands to the command line. */
export type AddCommands = (program: Command, ports: CliPorts) => void

/** The whole tree of commands, with those of the domains. Nothing runs until it is parsed. */
export function buildProgram(ports: CliPorts, domains: readonly AddCommands[]): Command {
  const program = new Command('caelus')
    .description('One control plane for apps, clusters, runtimes, actions and edge.')
    .version(ports.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .configureOutput({ writeOut: (text) => ports.terminal.out(text), writeErr: (text) => ports.terminal.err(text) })
    .exitOverride()
    .hook('preAction', (_, command) => prepareFormat(command.opts()['output']))
  for (const [heading, adds] of SHARED) {
    program.commandsGroup(heading)
    for (const add of adds) add(program, ports)
  }
  for (const add of domains) add(program, ports)
  program.commandsGroup('Shell:').helpCommand('help [command]', 'show help of a command')
  shellCommands(program, ports)
  for (const { path, command } of leavesOf(program)) command.showHelpAfterError(`(${path} --help shows its options)`)
  for (const group of [program, ...program.commands.filter(({ commands }) => commands.length > 0)]) {
    group.showSuggestionAfterError(false)
  }
  return program
}

/** The commands of no domain, by the heading that help lists them under. A domain begins a group of its own. */
const SHARED: ReadonlyArray<readonly [heading: string, adds: readonly AddCommands[]]> = [
  ['Run:', [upCommands, apiCommands, controllerCommands, controlPlaneCommands]],
  ['Operate:', [operateCommands, decisionCommands]],
  ['Users, organizations and tokens:', [identityCommands]],
]

/**
 * 0: done. 1: refused or failed. 2: the command line was wrong. 3: not settled within --timeout. A command may answer with
 * 1 or 2: its help says so.
 */
export async function runCli(
  args: readonly string[],
  ports: CliPorts,
  domains: readonly AddCommands[],
): Promise<0 | 1 | 2 | 3> {
  const program = buildProgram(ports, domains)
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof ExitCode) return error.code
    if (error instanceof CommanderError) {
      if (error.code === 'commander.unknownCommand') ports.terminal.err(suggestion(args, program))
      return error.exitCode === 0 ? 0 : 2
    }
    printFailure(ports.terminal, error)
    return exitCodeOf(error)
  }
}

/** Replaces the suggestion of the parser, which knows names that are spelled alike and no others. */
function suggestion(args: readonly string[], { commands }: Command): string {
  const group = commands.find((command) => command.name() === args[0])
  const [path, known, rest] =
    group === undefined ? ['caelus', commands, args] : [`caelus ${group.name()}`, group.commands, args.slice(1)]
  const meant = commandsMeant(
    rest,
    known.map((command) => command.name()),
  )
  const question = meant.length === 0 ? '' : `(Did you mean ${meant.join(', ')}?)\n`
  return `${question}(${path} --help lists the commands)\n`
}
