import { Argument, type Command } from 'commander'
import { completionScript, SHELLS, type Shell } from '../completion.ts'
import type { CliPorts } from '../ports.ts'

export function shellCommands(program: Command, { version, terminal }: CliPorts): void {
  program
    .command('version')
    .description('print the version')
    .action(() => terminal.out(`${version}\n`))

  program
    .command('completion')
    .description('print a completion script, such as for source <(caelus completion bash)')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action((shell: Shell) => terminal.out(completionScript(shell, program)))
}
