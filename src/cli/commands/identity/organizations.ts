import type { Command } from 'commander'
import { allPages, restClient, type RestClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatFacts, formatList } from '../../output.ts'
import { isId, onlyOne } from '../../find-by-name.ts'
import { ORGANIZATION } from './nouns.ts'
import { outputOption, type OutputOption } from '../options.ts'

interface Organization {
  readonly id: string
  readonly name: string
  readonly members: number
  readonly role: string | null
  readonly generation: number
  readonly created_at: string
}

/** The path of an organization, which people name by its name or id. */
export async function organizationPath(client: RestClient, named: string): Promise<string> {
  if (isId(named)) return `/organizations/${named}`
  const find = async (query: Record<string, string>): Promise<readonly Organization[]> =>
    (await client.get<{ items: Organization[] }>('/organizations', query)).items
  const items = await find({ name: named })
  const names = items.length > 0 ? [] : (await find({ limit: '200' })).map(({ name }) => name)
  return `/organizations/${onlyOne(ORGANIZATION, named, items, names).id}`
}

export function organizationCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('create-organization')
    .description('create an organization; you become its owner')
    .argument('<name>', 'its name')
    .addOption(outputOption())
    .action(async (name: string, { output }: OutputOption) => {
      terminal.out(formatFacts(output, await restClient(await remote()).post<Organization>('/organizations', { name })))
    })

  program
    .command('list-organizations')
    .description('list your organizations; all for an admin')
    .addOption(outputOption())
    .action(async ({ output }: OutputOption) => {
      const columns = [
        { head: 'id', cell: (row: Organization) => row.id },
        { head: 'name', cell: (row: Organization) => row.name },
        { head: 'your role', cell: (row: Organization) => row.role },
        { head: 'members', cell: (row: Organization) => row.members },
      ]
      terminal.out(
        formatList(output, await allPages<Organization>(restClient(await remote()), '/organizations'), columns),
      )
    })

  program
    .command('get-organization')
    .description('show an organization')
    .argument('<organization>', ORGANIZATION.named)
    .addOption(outputOption())
    .action(async (named: string, { output }: OutputOption) => {
      const client = restClient(await remote())
      terminal.out(formatFacts(output, await client.get<Organization>(await organizationPath(client, named))))
    })

  program
    .command('update-organization')
    .description('change the name of an organization')
    .argument('<organization>', ORGANIZATION.named)
    .requiredOption('--name <name>', 'the new name')
    .addOption(outputOption())
    .action(async (named: string, { name, output }: OutputOption & { readonly name: string }) => {
      const client = restClient(await remote())
      const path = await organizationPath(client, named)
      terminal.out(formatFacts(output, await client.patch<Organization>(path, { name })))
    })

  program
    .command('delete-organization')
    .description('delete an organization that has no objects left in any domain')
    .argument('<organization>', ORGANIZATION.named)
    .action(async (named: string) => {
      const client = restClient(await remote())
      await client.delete(await organizationPath(client, named))
      terminal.out(`deleted ${named}\n`)
    })
}
