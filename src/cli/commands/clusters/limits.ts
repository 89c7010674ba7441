import { InvalidArgumentError, type Command } from 'commander'
import { restClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatFacts } from '../../output.ts'
import { ORGANIZATION } from '../identity/nouns.ts'
import { organizationPath } from '../identity/organizations.ts'
import { needsOneOf, outputOption, type OutputOption } from '../options.ts'

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

function countOrNone(text: string): number | null {
  if (text === 'none') return null
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 0, or none for no limit.')
}
function namesOrAll(text: string): readonly string[] | null {
  if (text.trim() === 'all') return null
  const names = text.split(',').map((name) => name.trim())
  if (names.every((name) => name !== '')) return names
  throw new InvalidArgumentError('It must be names separated by commas, or all for no limit.')
}

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

  const set = program
    .command('set-organization-limits')
    .description('limit the clusters of an organization; what is not named stays as it is. For admins')
    .argument('<organization>', ORGANIZATION.named)
    .option('--max-clusters <count>', 'the most clusters, or none for no limit', countOrNone)
    .option('--max-nodes <count>', 'the most nodes of all clusters, or none for no limit', countOrNone)
    .option('--regions <names>', 'the regions that it may order in, separated by commas, or all', namesOrAll)
    .option('--machine-types <names>', 'the machine types that it may order, separated by commas, or all', namesOrAll)
    .addOption(outputOption())
  needsOneOf(set, '--max-clusters', '--max-nodes', '--regions', '--machine-types').action(
    async (named: string, options: SetOptions) => {
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
    },
  )
}
