import type { Command } from 'commander'
import { allPages, restClient, type RestClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatFacts, formatList } from '../../output.ts'
import { NAMED, userNamed } from './find-by-name.ts'
import { outputOption, type OutputOption } from '../options.ts'

interface User {
  readonly id: string
  readonly email: string
  readonly is_admin: boolean
  readonly deployments: number
  readonly frozen: boolean
  readonly created_at: string
}

interface ChangeOptions extends OutputOption {
  readonly email?: string
  readonly admin?: boolean
}

const pathOf = async (client: RestClient, named: string): Promise<string> =>
  `/users/${encodeURIComponent(await userNamed(client, named))}`

export function userCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('create-user')
    .description('make a user, who can be given deployments before they first log in')
    .argument('<email>', 'who it is')
    .option('--admin', 'with the role admin')
    .addOption(outputOption())
    .action(async (email: string, { admin = false, output }: ChangeOptions) => {
      const user = await restClient(await remote()).post<User>('/users', { email, is_admin: admin })
      terminal.out(formatFacts(output, user))
    })

  program
    .command('list-users')
    .description('list the users')
    .addOption(outputOption())
    .action(async ({ output }: OutputOption) => {
      const columns = [
        { head: 'id', cell: (user: User) => user.id },
        { head: 'email', cell: (user: User) => user.email },
        { head: 'role', cell: (user: User) => (user.is_admin ? 'admin' : 'member') },
        { head: 'deployments', cell: (user: User) => user.deployments },
        { head: 'frozen', cell: (user: User) => (user.frozen ? 'yes' : '') },
      ]
      terminal.out(formatList(output, await allPages<User>(restClient(await remote()), '/users'), columns))
    })

  program
    .command('get-user')
    .description('show a user')
    .argument('<user>', NAMED.user)
    .addOption(outputOption())
    .action(async (named: string, { output }: OutputOption) => {
      const client = restClient(await remote())
      terminal.out(formatFacts(output, await client.get<User>(await pathOf(client, named))))
    })

  program
    .command('update-user')
    .description('change the email or the role of a user')
    .argument('<user>', NAMED.user)
    .option('--email <email>', 'the new email')
    .option('--admin', 'give the role admin')
    .option('--no-admin', 'take the role admin')
    .addOption(outputOption())
    .action(async (named: string, { email, admin, output }: ChangeOptions) => {
      const client = restClient(await remote())
      const patch = { ...(email !== undefined && { email }), ...(admin !== undefined && { is_admin: admin }) }
      terminal.out(formatFacts(output, await client.patch<User>(await pathOf(client, named), patch)))
    })

  program
    .command('delete-user')
    .description('delete a user who has no deployments left')
    .argument('<user>', NAMED.user)
    .action(async (named: string) => {
      const client = restClient(await remote())
      await client.delete(await pathOf(client, named))
      terminal.out(`deleted ${named}\n`)
    })

  program
    .command('freeze-tenant')
    .description('reconcile nothing of a user until they are thawed; what runs already goes on')
    .argument('<user>', NAMED.user)
    .requiredOption('--why <text>', 'reason to record')
    .action(async (named: string, { why }: { why: string }) => {
      const client = restClient(await remote())
      await client.post(`${await pathOf(client, named)}:freeze`, { why })
      terminal.out(`froze ${named}\n`)
    })

  program
    .command('unfreeze-tenant')
    .description('reconcile what belongs to a frozen user again')
    .argument('<user>', NAMED.user)
    .action(async (named: string) => {
      const client = restClient(await remote())
      await client.post(`${await pathOf(client, named)}:unfreeze`)
      terminal.out(`thawed ${named}\n`)
    })
}
