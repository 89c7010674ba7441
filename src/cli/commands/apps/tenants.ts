import type { Command } from 'commander'
import { allPages, restClient } from '../../client.ts'
import { formatFacts, formatList } from '../../output.ts'
import type { CliPorts } from '../../ports.ts'
import { userPath } from '../identity/users.ts'
import { USER, userNamed } from '../identity/nouns.ts'
import { outputOption, wholeNumber, type OutputOption } from '../options.ts'

interface Limit {
  readonly most: number | null
  readonly is_default: boolean
  readonly deployments: number
}

interface OwnedDomain {
  readonly suffix: string
  readonly user_id: string
  readonly email: string
  readonly created_at: string
}

export function tenantCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('freeze-tenant')
    .description('stop reconciling the deployments of a user; runs under way continue')
    .argument('<user>', USER.named)
    .requiredOption('--why <text>', 'reason to record')
    .action(async (named: string, { why }: { why: string }) => {
      const client = restClient(await remote())
      await client.post(`${await userPath(client, named)}:freeze`, { why })
      terminal.out(`froze ${named}\n`)
    })

  program
    .command('unfreeze-tenant')
    .description('reconcile the deployments of a frozen user again')
    .argument('<user>', USER.named)
    .action(async (named: string) => {
      const client = restClient(await remote())
      await client.post(`${await userPath(client, named)}:unfreeze`)
      terminal.out(`unfroze ${named}\n`)
    })

  program
    .command('get-deployment-limit')
    .description('show how many deployments a user has and may have')
    .argument('<user>', USER.named)
    .addOption(outputOption())
    .action(async (named: string, { output }: OutputOption) => {
      const client = restClient(await remote())
      terminal.out(formatFacts(output, await client.get<Limit>(`${await userPath(client, named)}/deployment-limit`)))
    })

  program
    .command('set-deployment-limit')
    .description('set how many deployments a user may have')
    .argument('<user>', USER.named)
    // wholeNumber begins at 1.
    .argument('<most>', 'a number, or default for the limit of the configuration', (written) =>
      written === 'default' ? null : written === '0' ? 0 : wholeNumber(written),
    )
    .addOption(outputOption())
    .action(async (named: string, most: number | null, { output }: OutputOption) => {
      const client = restClient(await remote())
      const limit = await client.put<Limit>(`${await userPath(client, named)}/deployment-limit`, { most })
      terminal.out(formatFacts(output, limit))
    })

  program
    .command('list-domains')
    .description('list the domains that only one user may order')
    .addOption(outputOption())
    .action(async ({ output }: OutputOption) => {
      const columns = [
        { head: 'domain', cell: (domain: OwnedDomain) => domain.suffix },
        { head: 'user', cell: (domain: OwnedDomain) => domain.email },
      ]
      terminal.out(formatList(output, await allPages<OwnedDomain>(restClient(await remote()), '/domains'), columns))
    })

  program
    .command('create-domain')
    .description('let only one user order a domain and everything below it')
    .argument('<domain>', 'such as shop.example.com')
    .argument('<user>', USER.named)
    .addOption(outputOption())
    .action(async (suffix: string, named: string, { output }: OutputOption) => {
      const client = restClient(await remote())
      const user_id = await userNamed(client, named)
      terminal.out(formatFacts(output, await client.post<OwnedDomain>('/domains', { suffix, user_id })))
    })

  program
    .command('delete-domain')
    .description('take a domain back from its user; existing deployments are kept')
    .argument('<domain>', 'as list-domains shows it')
    .action(async (suffix: string) => {
      await restClient(await remote()).delete(`/domains/${encodeURIComponent(suffix)}`)
      terminal.out(`deleted ${suffix}\n`)
    })
}
