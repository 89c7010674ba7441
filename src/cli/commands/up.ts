import { Option, type Command } from 'commander'
import type { CliPorts } from '../ports.ts'
import { raise } from '../failures.ts'

interface UpOptions {
  readonly controlPlane: boolean
  readonly gardener?: string
}

export function upCommands(program: Command, { up, reset, terminal }: CliPorts): void {
  program
    .command('up')
    .description('run everything on this machine: PostgreSQL, a control plane, the API and the console')
    .option('--no-control-plane', 'start without Kubernetes')
    .addOption(
      new Option(
        '--gardener <mode>',
        'mock: simulate the Gardener of clusters. real: start a garden here; its nodes are simulated. Without it, as GARDENER_MODE says',
      ).choices(['mock', 'real']),
    )
    .action(({ controlPlane, gardener }: UpOptions) =>
      up({ controlPlane, settings: gardener === undefined ? {} : { GARDENER_MODE: gardener } }),
    )

  program
    .command('reset')
    .description('remove everything that `caelus up` keeps on this machine')
    .option('-y, --yes', 'do not ask')
    .action(async ({ yes = false }: { yes?: boolean }) => {
      const found = await reset.find()
      if (found === undefined) return terminal.out('there is nothing to remove\n')
      const sure = yes || (terminal.isInteractive && isYes(await terminal.ask(`Remove ${found} with all data? [y/N] `)))
      if (!sure) throw raise.NotConfirmed(`${found} was not removed`)
      await reset.remove()
      terminal.out(`removed ${found}\n`)
    })
}

const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim())
