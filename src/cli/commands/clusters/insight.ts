import type { Command } from 'commander'
import { allPages, restClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatList, formatValue } from '../../output.ts'
import { explanationText, limitOption, timelineText, type Explanation, type TimelineOptions } from '../insight.ts'
import { outputOption, type OutputOption } from '../options.ts'
import { pathOf, type Cluster } from './cluster.ts'
import { CLUSTER, clusterNamed, organizationOption, type OrganizationOption } from './nouns.ts'

interface ClusterEvent {
  readonly type: string
  readonly actor: string
  readonly message: string | null
  readonly attempt: number | null
  readonly created_at: string
}

interface App {
  readonly name: string
  readonly owner: string | null
  readonly status: string
  readonly status_since: string
}

interface Upgrade {
  readonly version: string
  readonly kind: string
  readonly classification: string
  readonly expires_at: string | null
  readonly changes: readonly string[]
}

interface Versions {
  readonly current: string
  readonly upgrades: readonly Upgrade[]
}

const EVENTS = [
  { head: 'at', cell: (row: ClusterEvent) => row.created_at },
  { head: 'what', cell: (row: ClusterEvent) => row.type },
  { head: 'who', cell: (row: ClusterEvent) => row.actor },
  { head: 'attempt', cell: (row: ClusterEvent) => row.attempt },
  { head: 'message', cell: (row: ClusterEvent) => row.message },
]

const APPS = [
  { head: 'name', cell: (row: App) => row.name },
  { head: 'owner', cell: (row: App) => row.owner },
  { head: 'status', cell: (row: App) => row.status },
  { head: 'since', cell: (row: App) => row.status_since },
]

const UPGRADES = [
  { head: 'version', cell: (row: Upgrade) => row.version },
  { head: 'kind', cell: (row: Upgrade) => row.kind },
  { head: 'classification', cell: (row: Upgrade) => row.classification },
  { head: 'expires', cell: (row: Upgrade) => row.expires_at },
  { head: 'changes', cell: (row: Upgrade) => row.changes.join('; ') },
]

export function clusterInsightCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('explain-cluster')
    .description('show why a cluster is in its state, what happens next, and who has to act')
    .argument('<cluster>', CLUSTER.named)
    .addOption(organizationOption('of which organization'))
    .addOption(outputOption())
    .action(async (named: string, { organization, output }: OutputOption & OrganizationOption) => {
      const client = restClient(await remote())
      const path = pathOf(await clusterNamed(client, named, organization))
      const answer = await client.get<Explanation>(`${path}/explain`)
      terminal.out(output === 'table' ? explanationText(answer) : formatValue(output, answer))
    })

  program
    .command('timeline-cluster')
    .description('show who changed a cluster and what was decided, newest first')
    .argument('<cluster>', CLUSTER.named)
    .addOption(organizationOption('of which organization'))
    .addOption(limitOption())
    .addOption(outputOption())
    .action(async (named: string, { organization, limit, output }: TimelineOptions & OrganizationOption) => {
      const client = restClient(await remote())
      terminal.out(await timelineText(client, pathOf(await clusterNamed(client, named, organization)), limit, output))
    })

  program
    .command('list-cluster-events')
    .description('list the syncs of a cluster and the changes of its status, newest first')
    .argument('<cluster>', CLUSTER.named)
    .addOption(organizationOption('of which organization'))
    .addOption(limitOption())
    .addOption(outputOption())
    .action(async (named: string, { organization, limit, output }: TimelineOptions & OrganizationOption) => {
      const client = restClient(await remote())
      const path = `${pathOf(await clusterNamed(client, named, organization))}/events`
      const events =
        limit === undefined || limit > MOST_ON_A_PAGE
          ? (await allPages<ClusterEvent>(client, path)).slice(0, limit)
          : (await client.get<{ items: ClusterEvent[] }>(path, { limit: `${limit}` })).items
      terminal.out(formatList(output, events, EVENTS))
    })

  program
    .command('list-cluster-apps')
    .description('list the apps in a cluster, those of all members of the organization')
    .argument('<cluster>', CLUSTER.named)
    .addOption(organizationOption('of which organization'))
    .addOption(outputOption())
    .action(async (named: string, { organization, output }: OutputOption & OrganizationOption) => {
      const client = restClient(await remote())
      const path = `${pathOf(await clusterNamed(client, named, organization))}/apps`
      terminal.out(formatList(output, await allPages<App>(client, path), APPS))
    })

  program
    .command('list-cluster-versions')
    .description('list the versions that a cluster can be upgraded to, and what each would change')
    .argument('<cluster>', CLUSTER.named)
    .addOption(organizationOption('of which organization'))
    .addOption(outputOption())
    .action(async (named: string, { organization, output }: OutputOption & OrganizationOption) => {
      const client = restClient(await remote())
      const cluster = await clusterNamed(client, named, organization)
      const versions = await client.get<Versions>(`${pathOf(cluster)}/versions`)
      terminal.out(output === 'table' ? versionsText(cluster, versions) : formatValue(output, versions))
    })
}

export function versionsText({ shoot }: Pick<Cluster, 'shoot'>, { current, upgrades }: Versions): string {
  if (shoot === null)
    return `${current} is ordered; while there is no Shoot, update-cluster takes any version that list-regions shows\n`
  return upgrades.length === 0
    ? `no upgrade from ${current} is offered\n`
    : `current version: ${current}\n${formatList('table', upgrades, UPGRADES)}`
}

const MOST_ON_A_PAGE = 200
