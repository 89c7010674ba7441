import type { Command } from 'commander'
import type { ControllersOptions, CliPorts } from '../ports.ts'
import { wholeNumber } from './options.ts'

export function controllerCommands(program: Command, { controllers }: CliPorts): void {
  program
    .command('run-controllers')
    .description(
      'run the controllers of custom resources (class runtimes) on the control plane of CAELUS_KUBECONFIG until stopped',
    )
    .option('--concurrency <count>', 'how many at once; without it, as CAELUS_WORKER_CONCURRENCY says', wholeNumber)
    .action(async (options: ControllersOptions) => await controllers(options))
}
