import type { Command } from 'commander'
import { restClient, type RestClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatFacts, formatList, formatValue } from '../../output.ts'
import { needsOneOf, outputOption, type OutputOption } from '../options.ts'
import { pathOf, type Cluster, type NodePool, type NodePoolDraft } from './cluster.ts'
import { withSaving, type SaveOptions } from './lifecycle.ts'
import { count } from './node-pool-option.ts'
import { CLUSTER, clusterNamed, NODE_POOL, organizationOption, poolNamed, type OrganizationOption } from './nouns.ts'
import { showPreview, type ClusterPreview } from './preview.ts'
import { untilReady } from './wait.ts'

interface PoolOptions extends SaveOptions {
  readonly machineType?: string
  readonly min?: number
  readonly max?: number
}

const COLUMNS = [
  { head: 'id', cell: (row: NodePool) => row.id },
  { head: 'name', cell: (row: NodePool) => row.name },
  { head: 'machine type', cell: (row: NodePool) => row.machine_type },
  { head: 'min', cell: (row: NodePool) => row.autoscale_min },
  { head: 'max', cell: (row: NodePool) => row.autoscale_max },
]

const changeIn = ({ machineType, min, max }: PoolOptions): Partial<NodePoolDraft> => ({
  ...(machineType !== undefined && { machine_type: machineType }),
  ...(min !== undefined && { autoscale_min: min }),
  ...(max !== undefined && { autoscale_max: max }),
})

const draftOf = ({ name, machine_type, autoscale_min, autoscale_max }: Partial<NodePool>) => ({
  name,
  machine_type,
  autoscale_min,
  autoscale_max,
})

export function nodePoolCommands(program: Command, { remote, terminal }: CliPorts): void {
  /** Node pools are previewed as a change of their cluster. */
  const previewed = async (
    client: RestClient,
    cluster: Cluster,
    pools: readonly Partial<NodePool>[],
    { output }: OutputOption,
  ) => {
    const node_pools = pools.map(draftOf)
    const preview = await client.post<ClusterPreview>(`${pathOf(cluster)}:preview`, { node_pools })
    showPreview(terminal, cluster.name, preview, output)
  }
  const saved = async (client: RestClient, cluster: Cluster, { wait = false, timeout }: SaveOptions): Promise<void> => {
    if (wait) await untilReady(client, await client.get<Cluster>(pathOf(cluster)), timeout, terminal)
  }

  program
    .command('list-node-pools')
    .description('list the node pools of a cluster')
    .argument('<cluster>', CLUSTER.named)
    .addOption(organizationOption('of which organization'))
    .addOption(outputOption())
    .action(async (named: string, { organization, output }: OutputOption & OrganizationOption) => {
      const { node_pools: pools } = await clusterNamed(restClient(await remote()), named, organization)
      terminal.out(formatList(output, pools, COLUMNS))
    })

  const create = program
    .command('create-node-pool')
    .description('add a node pool to a cluster')
    .argument('<cluster>', CLUSTER.named)
    .argument('<name>', 'its name, which no other node pool of the cluster has')
    .addOption(organizationOption('of which organization'))
    .requiredOption('--machine-type <type>', 'as list-regions shows it')
    .requiredOption('--min <count>', 'the fewest nodes', count)
    .requiredOption('--max <count>', 'the most nodes', count)
  withSaving(create).action(async (named: string, name: string, options: PoolOptions) => {
    const client = restClient(await remote())
    const cluster = await clusterNamed(client, named, options.organization)
    const pool = { name, ...changeIn(options) }
    if (options.dryRun === true) return await previewed(client, cluster, [...cluster.node_pools, pool], options)
    const made = await client.post<NodePool>(`${pathOf(cluster)}/node-pools`, pool, cluster.generation)
    await saved(client, cluster, options)
    terminal.out(formatFacts(options.output, made))
  })

  const update = program
    .command('update-node-pool')
    .description('change how many nodes a node pool may have, or of which machine type they are')
    .argument('<cluster>', CLUSTER.named)
    .argument('<node-pool>', NODE_POOL.named)
    .addOption(organizationOption('of which organization'))
    .option('--machine-type <type>', 'as list-regions shows it; every node is replaced')
    .option('--min <count>', 'the fewest nodes', count)
    .option('--max <count>', 'the most nodes', count)
  needsOneOf(withSaving(update), '--machine-type', '--min', '--max').action(
    async (named: string, pool: string, options: PoolOptions) => {
      const client = restClient(await remote())
      const cluster = await clusterNamed(client, named, options.organization)
      const { id } = poolNamed(cluster, pool)
      const change = changeIn(options)
      if (options.dryRun === true) {
        const pools = cluster.node_pools.map((one) => (one.id === id ? { ...one, ...change } : one))
        return await previewed(client, cluster, pools, options)
      }
      const changed = await client.patch<NodePool>(`${pathOf(cluster)}/node-pools/${id}`, change, cluster.generation)
      await saved(client, cluster, options)
      terminal.out(formatFacts(options.output, changed))
    },
  )

  const remove = program
    .command('delete-node-pool')
    .description('remove a node pool from a cluster, with its nodes')
    .argument('<cluster>', CLUSTER.named)
    .argument('<node-pool>', NODE_POOL.named)
    .addOption(organizationOption('of which organization'))
  withSaving(remove).action(async (named: string, pool: string, options: SaveOptions) => {
    const client = restClient(await remote())
    const cluster = await clusterNamed(client, named, options.organization)
    const { id, name } = poolNamed(cluster, pool)
    const others = cluster.node_pools.filter((one) => one.id !== id)
    if (options.dryRun === true) return await previewed(client, cluster, others, options)
    await client.delete(`${pathOf(cluster)}/node-pools/${id}`, cluster.generation)
    await saved(client, cluster, options)
    terminal.out(options.output === 'table' ? `removed ${name}\n` : formatValue(options.output, { removed: name }))
  })
}
