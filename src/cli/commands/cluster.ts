import type { Command } from 'commander'
import type { Doors } from '../doors.ts'
import { formatFacts } from '../output.ts'
import { outputOption, type OutputOption } from './options.ts'

export function clusterCommands(program: Command, { cluster, terminal }: Doors): void {
  const group = program.command('cluster').description('the local Kubernetes control plane')

  group
    .command('up')
    .description('start it and leave it running')
    .addOption(outputOption())
    .action(async ({ output }: OutputOption) => terminal.out(formatFacts(output, await (await cluster()).up())))

  group
    .command('down')
    .description('stop it; its data stays')
    .option('--purge', 'remove its data too')
    .action(async ({ purge = false }: { purge?: boolean }) => {
      const stopped = await (await cluster()).down(purge)
      terminal.out(stopped.length === 0 ? 'nothing was running\n' : `stopped ${stopped.join(', ')}\n`)
    })

  group
    .command('status')
    .description('whether it runs, and where')
    .addOption(outputOption())
    .action(async ({ output }: OutputOption) => terminal.out(formatFacts(output, await (await cluster()).status())))

  group
    .command('kubeconfig')
    .description('print its kubeconfig')
    .action(async () => terminal.out(await (await cluster()).kubeconfig()))
}
