import { type Command, Option } from 'commander'
import { NODE_KINDS, type ControlPlaneFacts, type NodeKind, type CliPorts } from '../ports.ts'
import { formatFacts, type Format } from '../output.ts'
import { outputOption, type OutputOption } from './options.ts'

/** For people the processes are one line; programs get the list. */
function printed(output: Format, { components, ...facts }: ControlPlaneFacts): string {
  const line = components.map(({ name, pid, alive }) => `${name} ${alive ? pid : 'is gone'}`).join(', ')
  return formatFacts(output, { ...facts, components: output === 'table' ? line : components })
}

export function controlPlaneCommands(program: Command, { controlPlane, terminal }: CliPorts): void {
  const group = program.command('control-plane').description('manage the local Kubernetes control plane')

  group
    .command('up')
    .description('start the control plane and leave it running')
    .addOption(
      new Option('--nodes <kind>', 'none: pods stay pending; kwok: simulated nodes; real: pods run (root, Linux)')
        .choices(NODE_KINDS)
        .default('kwok'),
    )
    .addOption(outputOption())
    .action(async ({ nodes, output }: OutputOption & { readonly nodes: NodeKind }) =>
      terminal.out(printed(output, await (await controlPlane()).up(nodes))),
    )

  group
    .command('down')
    .description('stop the control plane; its data stays')
    .option('--purge', 'delete its data too')
    .action(async ({ purge = false }: { purge?: boolean }) => {
      const stopped = await (await controlPlane()).down(purge)
      terminal.out(stopped.length === 0 ? 'nothing was running\n' : `stopped ${stopped.join(', ')}\n`)
    })

  group
    .command('status')
    .description('show whether the control plane runs, and where')
    .addOption(outputOption())
    .action(async ({ output }: OutputOption) => terminal.out(printed(output, await (await controlPlane()).status())))

  group
    .command('kubeconfig')
    .description('print the kubeconfig of the control plane')
    .action(async () => terminal.out(await (await controlPlane()).kubeconfig()))
}
