import { Option, type Command } from 'commander'
import { allPages, restClient, type RestClient } from '../../client.ts'
import { raise } from '../../failures.ts'
import type { CliPorts } from '../../ports.ts'
import { formatList, formatValue } from '../../output.ts'
import { readDocuments } from '../documents.ts'
import { needsOneOf, outputOption, timeoutOption, type OutputOption } from '../options.ts'
import { clusterText } from './cluster-text.ts'
import { failuresOf, pathOf, progressText, STATUSES, type Cluster, type NodePoolDraft } from './cluster.ts'
import { maintenanceIn, withMaintenance, type MaintenanceOptions } from './maintenance-option.ts'
import { nodePoolOption } from './node-pool-option.ts'
import { CLUSTER, clusterNamed, organizationIdIn, organizationOf, organizationOption } from './nouns.ts'
import type { OrganizationOption } from './nouns.ts'
import { showPreview, type ClusterPreview } from './preview.ts'
import { untilGone, untilReady } from './wait.ts'

export interface SaveOptions extends OutputOption, OrganizationOption {
  readonly dryRun?: boolean
  readonly wait?: boolean
  readonly timeout: number
}

interface DeleteOptions extends SaveOptions {
  readonly withApps?: boolean
}

interface CreateOptions extends SaveOptions, MaintenanceOptions {
  readonly filename?: string
  readonly region?: string
  readonly kubernetesVersion?: string
  readonly nodePool?: readonly NodePoolDraft[]
}

interface UpdateOptions extends SaveOptions, MaintenanceOptions {
  readonly name?: string
  readonly kubernetesVersion?: string
  readonly nodePool?: readonly NodePoolDraft[]
  readonly hibernate?: boolean
  readonly wakeUp?: boolean
}

interface ListOptions extends OutputOption, OrganizationOption {
  readonly status?: string
}

const COLUMNS = [
  { head: 'id', cell: (row: Cluster) => row.id },
  { head: 'organization', cell: (row: Cluster) => row.organization },
  { head: 'name', cell: (row: Cluster) => row.name },
  { head: 'region', cell: (row: Cluster) => row.region },
  { head: 'version', cell: (row: Cluster) => row.shoot?.kubernetes_version ?? row.kubernetes_version },
  { head: 'nodes', cell: nodesText },
  { head: 'status', cell: (row: Cluster) => row.status },
  { head: 'progress', cell: (row: Cluster) => progressText(row) },
  { head: 'since', cell: (row: Cluster) => row.status_changed_at },
  {
    head: 'failure',
    cell: (row: Cluster) =>
      failuresOf(row)
        .map(({ code }) => code)
        .join(', '),
  },
]

/** As many as its pools may have, such as `1-3`. */
function nodesText({ node_pools: pools, hibernated }: Cluster): string {
  if (hibernated) return 'hibernated'
  const sum = (of: 'autoscale_min' | 'autoscale_max'): number => pools.reduce((total, pool) => total + pool[of], 0)
  return `${sum('autoscale_min')}-${sum('autoscale_max')}`
}

export const withSaving = (command: Command): Command =>
  command
    .addOption(
      new Option('--dry-run', 'show what would change, and what Gardener says to it; save nothing').conflicts('wait'),
    )
    .option('--wait', 'wait until it is ready, and show the progress')
    .addOption(timeoutOption(30))
    .addOption(outputOption())

export function clusterLifeCommands(program: Command, { remote, terminal }: CliPorts): void {
  const previewed = async (client: RestClient, path: string, name: string, body: object, { output }: OutputOption) => {
    const preview = await client.post<ClusterPreview>(`${path}:preview`, body)
    showPreview(terminal, name, preview, output)
  }
  const shown = async (client: RestClient, saved: Cluster, { output, wait = false, timeout }: SaveOptions) => {
    const last = wait ? await untilReady(client, saved, timeout, terminal) : saved
    terminal.out(output === 'table' ? clusterText(last) : formatValue(output, last))
  }

  const create = program
    .command('create-cluster')
    .description('order a cluster for an organization')
    .argument('[name]', 'its name, which no other cluster of the organization has; without it, as the file says')
    .addOption(organizationOption('for which organization, unless there is only one'))
    .option(
      '-f, --filename <path>',
      'the cluster as YAML or JSON; - reads standard input. Options replace what it says',
    )
    .option('--region <region>', 'where, as list-regions shows it; it cannot be changed later')
    .option('--kubernetes-version <version>', 'such as 1.34, for its newest patch, or 1.34.3')
    .addOption(nodePoolOption('its nodes'))
  withSaving(withMaintenance(create))
    .addHelpText('after', CREATE_EXAMPLES)
    .action(async (name: string | undefined, options: CreateOptions) => {
      const file: Partial<Cluster> = options.filename === undefined ? {} : await onlyDocument(options.filename)
      const draft = {
        ...file,
        ...(name !== undefined && { name }),
        ...(options.region !== undefined && { region: options.region }),
        ...(options.kubernetesVersion !== undefined && { kubernetes_version: options.kubernetesVersion }),
        ...(options.nodePool !== undefined && { node_pools: options.nodePool }),
        ...maintenanceIn(options, file.maintenance),
      }
      const client = restClient(await remote())
      const path = `${await organizationOf(client, options.organization)}/clusters`
      const called = 'name' in draft && typeof draft.name === 'string' ? draft.name : 'it'
      if (options.dryRun === true) return await previewed(client, path, called, draft, options)
      await shown(client, await client.post<Cluster>(path, draft), options)
    })

  program
    .command('list-clusters')
    .description('list the clusters of your organizations; all for an admin')
    .addOption(organizationOption('only those of one organization'))
    .addOption(new Option('--status <status>', 'only those with this status').choices(STATUSES))
    .addOption(outputOption())
    .action(async ({ organization, status, output }: ListOptions) => {
      const client = restClient(await remote())
      const organization_id =
        organization === undefined ? undefined : organizationIdIn(await organizationOf(client, organization))
      const rows = await allPages<Cluster>(client, '/clusters', { organization_id, status })
      terminal.out(formatList(output, rows, COLUMNS))
    })

  program
    .command('get-cluster')
    .description('show a cluster, its node pools, and how Gardener sees it')
    .argument('<cluster>', CLUSTER.named)
    .addOption(organizationOption('of which organization'))
    .addOption(outputOption())
    .action(async (named: string, { organization, output }: OutputOption & OrganizationOption) => {
      const cluster = await clusterNamed(restClient(await remote()), named, organization)
      terminal.out(output === 'table' ? clusterText(cluster) : formatValue(output, cluster))
    })

  const update = program
    .command('update-cluster')
    .description('change a cluster, upgrade it, send it to sleep or wake it up')
    .argument('<cluster>', CLUSTER.named)
    .addOption(organizationOption('of which organization'))
    .option('--name <name>', 'a new name')
    .option(
      '--kubernetes-version <version>',
      'a later one, as list-cluster-versions shows it; before there is a Shoot, any of list-regions',
    )
    .addOption(nodePoolOption('all its node pools anew; what is not named is removed'))
    .addOption(new Option('--hibernate', 'no nodes and no control plane until it is woken up').conflicts('wakeUp'))
    .option('--wake-up', 'end its hibernation')
  // After the option that it negates: before it, it would be a default.
  withMaintenance(update).option('--no-maintenance', "leave the time of maintenance to Gardener's own choice")
  needsOneOf(
    withSaving(update),
    '--name',
    '--kubernetes-version',
    '--node-pool',
    '--hibernate',
    '--wake-up',
    '--maintenance',
    '--no-maintenance',
    '--auto-update',
  ).action(async (named: string, options: UpdateOptions) => {
    const client = restClient(await remote())
    const present = await clusterNamed(client, named, options.organization)
    const change = {
      ...(options.name !== undefined && { name: options.name }),
      ...(options.kubernetesVersion !== undefined && { kubernetes_version: options.kubernetesVersion }),
      ...(options.nodePool !== undefined && { node_pools: options.nodePool }),
      ...(options.hibernate === true && { hibernated: true }),
      ...(options.wakeUp === true && { hibernated: false }),
      ...maintenanceIn(options, present.maintenance),
    }
    if (options.dryRun === true) return await previewed(client, pathOf(present), present.name, change, options)
    await shown(client, await client.patch<Cluster>(pathOf(present), change, present.generation), options)
  })

  program
    .command('delete-cluster')
    .description('delete a cluster with everything in it')
    .argument('<cluster>', CLUSTER.named)
    .addOption(organizationOption('of which organization'))
    .option('--with-apps', 'delete the apps in it first; without it a cluster with apps is not deleted')
    .option('--wait', 'wait until it is gone, and show the progress')
    .addOption(timeoutOption(30))
    .action(async (named: string, { organization, wait = false, timeout, withApps = false }: DeleteOptions) => {
      const client = restClient(await remote())
      const present = await clusterNamed(client, named, organization)
      await client.delete(`${pathOf(present)}${withApps ? '?with_apps=true' : ''}`)
      if (wait) await untilGone(client, present, timeout, terminal)
      terminal.out(`${wait ? 'deleted' : 'deleting'} ${present.name}\n`)
    })
}

async function onlyDocument(path: string): Promise<object> {
  const [only, ...others] = await readDocuments(path, '-f', 'a cluster')
  if (only === undefined || others.length > 0)
    throw raise.InputUnreadable(`failed to read ${path} of -f: it must hold one cluster`)
  return only
}

const CREATE_EXAMPLES = `
Examples:
  caelus create-cluster prod --organization shop --region local --kubernetes-version 1.34 --node-pool default=local:1-3 --wait
  caelus create-cluster -f examples/clusters/small.yaml --organization shop --dry-run
`
