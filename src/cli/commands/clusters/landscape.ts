import type { Command } from 'commander'
import { restClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatList, formatValue } from '../../output.ts'
import { outputOption, type OutputOption } from '../options.ts'
import { organizationIdIn, organizationOf, organizationOption, type OrganizationOption } from './nouns.ts'

interface Region {
  readonly name: string
  readonly allowed: boolean
}

interface Version {
  readonly version: string
  readonly classification: string
  readonly expires_at: string | null
}

interface MachineType {
  readonly name: string
  readonly cpu: string
  readonly gpu: string
  readonly memory: string
  readonly allowed: boolean
}

interface Landscape {
  readonly mode: 'mock' | 'real'
  readonly regions: readonly Region[]
  readonly versions: readonly Version[]
  readonly machine_types: readonly MachineType[]
}

const allowed = { head: 'allowed', cell: (row: { allowed: boolean }) => (row.allowed ? 'yes' : 'no') }

const REGIONS = [{ head: 'region', cell: (row: Region) => row.name }, allowed]

const VERSIONS = [
  { head: 'version', cell: (row: Version) => row.version },
  { head: 'classification', cell: (row: Version) => row.classification },
  { head: 'expires', cell: (row: Version) => row.expires_at },
]

const MACHINE_TYPES = [
  { head: 'machine type', cell: (row: MachineType) => row.name },
  { head: 'cpu', cell: (row: MachineType) => row.cpu },
  { head: 'gpu', cell: (row: MachineType) => row.gpu },
  { head: 'memory', cell: (row: MachineType) => row.memory },
  allowed,
]

export function landscapeCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('list-regions')
    .description('list the regions, versions and machine types that clusters can be ordered with')
    .addOption(organizationOption('what is allowed to one organization'))
    .addOption(outputOption())
    .action(async ({ organization, output }: OutputOption & OrganizationOption) => {
      const client = restClient(await remote())
      const organization_id =
        organization === undefined ? undefined : organizationIdIn(await organizationOf(client, organization))
      const landscape = await client.get<Landscape>('/regions', { organization_id })
      terminal.out(output === 'table' ? landscapeText(landscape) : formatValue(output, landscape))
    })
}

const landscapeText = ({ mode, regions, versions, machine_types }: Landscape): string =>
  [
    ...(mode === 'mock' ? ['Gardener is simulated: no clusters are made (GARDENER_MODE=mock)\n'] : []),
    formatList('table', regions, REGIONS),
    formatList('table', versions, VERSIONS),
    formatList('table', machine_types, MACHINE_TYPES),
  ].join('\n')
