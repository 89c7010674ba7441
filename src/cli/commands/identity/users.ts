import type { Command } from 'commander'
import { allPages, restClient, type RestClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatFacts, formatList } from '../../output.ts'
import { USER, userNamed } from './nouns.ts'
import { needsOneOf, outputOption, type OutputOption } from '../options.ts'

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

export const userPath = async (client: RestClient, named: string): Promise<string> =>
  `/users/${encodeURIComponent(await userNamed(client, named))}`

export function userCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('create-user')
    .description('create a user, who can own objects before the first login')
    .argument('<email>', 'the email that the user logs in with')
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
    .argument('<user>', USER.named)
    .addOption(outputOption())
    .action(async (named: string, { output }: OutputOption) => {
      const client = restClient(await remote())
      terminal.out(formatFacts(output, await client.get<User>(await userPath(client, named))))
    })

  const update = program
    .command('update-user')
    .description('change the email or the role of a user')
    .argument('<user>', USER.named)
    .option('--email <email>', 'the new email')
    .option('--admin', 'give the role admin')
    .option('--no-admin', 'remove the role admin')
    .addOption(outputOption())
  needsOneOf(update, '--email', '--admin', '--no-admin').action(
    async (named: string, { email, admin, output }: ChangeOptions) => {
      const client = restClient(await remote())
      const patch = { ...(email !== undefined && { email }), ...(admin !== undefined && { is_admin: admin }) }
      terminal.out(formatFacts(output, await client.patch<User>(await userPath(client, named), patch)))
    },
  )

  program
    .command('delete-user')
    .description('delete a user who has no objects left in any domain')
    .argument('<user>', USER.named)
    .action(async (named: string) => {
      const client = restClient(await remote())
      await client.delete(await userPath(client, named))
      terminal.out(`deleted ${named}\n`)
    })
}
