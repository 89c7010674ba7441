import type { Command } from 'commander'
import { restClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatFacts } from '../../output.ts'
import { ORGANIZATION } from '../identity/nouns.ts'
import { organizationPath } from '../identity/organizations.ts'
import { outputOption, type OutputOption } from '../options.ts'
import { count } from './node-pool-option.ts'

interface Limits {
  readonly max_clusters: number | null
  readonly max_nodes: number | null
  readonly regions: readonly string[] | null
  readonly machine_types: readonly string[] | null
  readonly clusters: number
  readonly nodes: number
  readonly generation: number
}

interface SetOptions extends OutputOption {
  readonly maxClusters?: number | null
  readonly maxNodes?: number | null
  readonly regions?: readonly string[] | null
  readonly machineTypes?: readonly string[] | null
}

const countOrNone = (text: string): number | null => (text === 'none' ? null : count(text))
const namesOrAll = (text: string): readonly string[] | null =>
  text === 'all' ? null : text.split(',').map((name) => name.trim())

export function limitCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('get-organization-limits')
    .description(
      'show how many clusters and nodes an organization has and may have, and which regions and machine types',
    )
    .argument('<organization>', ORGANIZATION.named)
    .addOption(outputOption())
    .action(async (named: string, { output }: OutputOption) => {
      const client = restClient(await remote())
      terminal.out(formatFacts(output, await client.get<Limits>(`${await organizationPath(client, named)}/limits`)))
    })

  program
    .command('set-organization-limits')
    .description('limit the clusters of an organization; what is not named stays as it is. For admins')
    .argument('<organization>', ORGANIZATION.named)
    .option('--max-clusters <count>', 'the most clusters, or none for no limit', countOrNone)
    .option('--max-nodes <count>', 'the most nodes of all clusters, or none for no limit', countOrNone)
    .option('--regions <names>', 'the regions that it may order in, separated by commas, or all', namesOrAll)
    .option('--machine-types <names>', 'the machine types that it may order, separated by commas, or all', namesOrAll)
    .addOption(outputOption())
    .action(async (named: string, options: SetOptions) => {
      const client = restClient(await remote())
      const path = `${await organizationPath(client, named)}/limits`
      const present = await client.get<Limits>(path)
      const chosen = <T>(given: T | undefined, before: T): T => (given === undefined ? before : given)
      const limits = {
        max_clusters: chosen(options.maxClusters, present.max_clusters),
        max_nodes: chosen(options.maxNodes, present.max_nodes),
        regions: chosen(options.regions, present.regions),
        machine_types: chosen(options.machineTypes, present.machine_types),
      }
      terminal.out(formatFacts(options.output, await client.put<Limits>(path, limits, present.generation)))
    })
}
