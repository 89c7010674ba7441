import { type Command, Option } from 'commander'
import { CLUSTER_NODES, type ClusterFacts, type ClusterNodes, type Doors } from '../ports.ts'
import { formatFacts, type Format } from '../output.ts'
import { outputOption, type OutputOption } from './options.ts'

/** For people the processes are one line; programs get the list. */
function printed(output: Format, { components, ...facts }: ClusterFacts): string {
  const line = components.map(({ name, pid, alive }) => `${name} ${alive ? pid : 'is gone'}`).join(', ')
  return formatFacts(output, { ...facts, components: output === 'table' ? line : components })
}

export function clusterCommands(program: Command, { cluster, terminal }: Doors): void {
  const group = program.command('cluster').description('the local Kubernetes control plane')

  group
    .command('up')
    .description('start it and leave it running')
    .addOption(
      new Option('--nodes <kind>', 'none: pods stay pending; kwok: they are said to run; real: they run (root, Linux)')
        .choices(CLUSTER_NODES)
        .default('kwok'),
    )
    .addOption(outputOption())
    .action(async ({ nodes, output }: OutputOption & { readonly nodes: ClusterNodes }) =>
      terminal.out(printed(output, await (await cluster()).up(nodes))),
    )

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
    .action(async ({ output }: OutputOption) => terminal.out(printed(output, await (await cluster()).status())))

  group
    .command('kubeconfig')
    .description('print its kubeconfig')
    .action(async () => terminal.out(await (await cluster()).kubeconfig()))
}
