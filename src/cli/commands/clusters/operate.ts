import { Argument, type Command } from 'commander'
import { restClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatFacts, formatValue } from '../../output.ts'
import { outputOption, type OutputOption } from '../options.ts'
import { pathOf, type Cluster } from './cluster.ts'
import { CLUSTER, clusterNamed, organizationOption, type OrganizationOption } from './nouns.ts'

const OPERATIONS = ['reconcile', 'retry', 'rotate-credentials-start', 'rotate-credentials-complete'] as const

const HELP = `
Rotation of credentials takes two steps. \`rotate-credentials-start\` makes new ones beside the old ones; once
\`get-cluster -o json\` shows the phase Prepared, replace every kubeconfig, then run \`rotate-credentials-complete\`.
`

export function clusterOperateCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('operate-cluster')
    .description('ask Gardener to do something once')
    .argument('<cluster>', CLUSTER.named)
    .addArgument(new Argument('<operation>', 'what to do').choices(OPERATIONS))
    .addOption(organizationOption('of which organization'))
    .addOption(outputOption())
    .addHelpText('after', HELP)
    .action(async (named: string, operation: string, { organization, output }: OutputOption & OrganizationOption) => {
      const client = restClient(await remote())
      const path = pathOf(await clusterNamed(client, named, organization))
      const cluster = await client.post<Cluster>(`${path}:operate`, { operation })
      if (output !== 'table') return terminal.out(formatValue(output, cluster))
      terminal.out(`asked Gardener for ${operation} of ${cluster.name}\n`)
    })

  program
    .command('sync-cluster')
    .description('write a cluster to Gardener now instead of when it is due')
    .argument('<cluster>', CLUSTER.named)
    .addOption(organizationOption('of which organization'))
    .addOption(outputOption())
    .action(async (named: string, { organization, output }: OutputOption & OrganizationOption) => {
      const client = restClient(await remote())
      const present = await clusterNamed(client, named, organization)
      const answer = await client.post<Cluster | undefined>(`${pathOf(present)}:sync`, {})
      const { id, name, status, generation, synced_generation } = answer ?? present
      terminal.out(formatFacts(output, { id, name, status, generation, synced_generation }))
    })
}
