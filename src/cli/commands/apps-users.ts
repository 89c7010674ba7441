import type { Command } from 'commander'
import { allPages, restClient } from '../client.ts'
import type { Doors } from '../doors.ts'
import { formatFacts, formatList } from '../output.ts'
import { outputOption, type OutputOption } from './options.ts'

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

const pathOf = (id: string): string => `/users/${encodeURIComponent(id)}`

export function userCommands(program: Command, { remote, terminal }: Doors): void {
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
    .argument('<id>', 'as list-users shows it')
    .addOption(outputOption())
    .action(async (id: string, { output }: OutputOption) =>
      terminal.out(formatFacts(output, await restClient(await remote()).get<User>(pathOf(id)))),
    )

  program
    .command('update-user')
    .description('change the email or the role of a user')
    .argument('<id>', 'as list-users shows it')
    .option('--email <email>', 'the new email')
    .option('--admin', 'give the role admin')
    .option('--no-admin', 'take the role admin')
    .addOption(outputOption())
    .action(async (id: string, { email, admin, output }: ChangeOptions) => {
      const patch = { ...(email !== undefined && { email }), ...(admin !== undefined && { is_admin: admin }) }
      terminal.out(formatFacts(output, await restClient(await remote()).patch<User>(pathOf(id), patch)))
    })

  program
    .command('delete-user')
    .description('delete a user who has no deployments left')
    .argument('<id>', 'as list-users shows it')
    .action(async (id: string) => {
      await restClient(await remote()).delete(pathOf(id))
      terminal.out(`deleted ${id}\n`)
    })

  program
    .command('freeze-tenant')
    .description('reconcile nothing of a user until they are thawed; what runs already goes on')
    .argument('<user>', 'as list-users shows it')
    .requiredOption('--why <text>', 'for whoever finds it frozen')
    .action(async (id: string, { why }: { why: string }) => {
      await restClient(await remote()).post(`${pathOf(id)}:freeze`, { why })
      terminal.out(`froze ${id}\n`)
    })

  program
    .command('unfreeze-tenant')
    .description('reconcile what belongs to a frozen user again')
    .argument('<user>', 'as list-users shows it')
    .action(async (id: string) => {
      await restClient(await remote()).post(`${pathOf(id)}:unfreeze`)
      terminal.out(`thawed ${id}\n`)
    })
}
