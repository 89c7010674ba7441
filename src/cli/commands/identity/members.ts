import { Option, type Command } from 'commander'
import { allPages, restClient, type RestClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatFacts, formatList } from '../../output.ts'
import { isId, onlyOne } from '../../find-by-name.ts'
import { MEMBER, ORGANIZATION } from './nouns.ts'
import { outputOption, wholeNumber, type OutputOption } from '../options.ts'
import { organizationPath } from './organizations.ts'

interface Member {
  readonly user_id: string
  readonly email: string
  readonly role: string
  readonly created_at: string
}

interface Invitation {
  readonly id: string
  readonly email: string
  readonly role: string
  readonly expires_at: string
}

interface RoleOption extends OutputOption {
  readonly role: string
}

interface InviteOptions extends RoleOption {
  readonly expiresInDays?: number
}

const roleOption = (): Option =>
  new Option('--role <role>', 'what the member may do').choices(['owner', 'member', 'viewer'])

/** By email or id; emails are looked up among the members, which every member may list. */
async function memberPath(client: RestClient, organization: string, named: string): Promise<string> {
  const path = `${await organizationPath(client, organization)}/members`
  if (isId(named)) return `${path}/${named}`
  const members = await allPages<Member>(client, path)
  const isNamed = ({ email }: Member): boolean => email.toLowerCase() === named.toLowerCase()
  const found = members.filter(isNamed).map(({ user_id: id }) => ({ id }))
  return `${path}/${
    onlyOne(
      MEMBER,
      named,
      found,
      members.map(({ email }) => email),
    ).id
  }`
}

export function memberCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('list-members')
    .description('list the members of an organization')
    .argument('<organization>', ORGANIZATION.named)
    .addOption(outputOption())
    .action(async (named: string, { output }: OutputOption) => {
      const client = restClient(await remote())
      const columns = [
        { head: 'id', cell: (row: Member) => row.user_id },
        { head: 'email', cell: (row: Member) => row.email },
        { head: 'role', cell: (row: Member) => row.role },
        { head: 'since', cell: (row: Member) => row.created_at },
      ]
      const members = await allPages<Member>(client, `${await organizationPath(client, named)}/members`)
      terminal.out(formatList(output, members, columns))
    })

  program
    .command('add-member')
    .description('add an existing user to an organization without an invitation; for admins')
    .argument('<organization>', ORGANIZATION.named)
    .argument('<email>', 'the email of the user')
    .addOption(roleOption().default('member'))
    .addOption(outputOption())
    .action(async (named: string, email: string, { role, output }: RoleOption) => {
      const client = restClient(await remote())
      const path = `${await organizationPath(client, named)}/members`
      terminal.out(formatFacts(output, await client.post<Member>(path, { email, role })))
    })

  program
    .command('update-member')
    .description('change the role of a member')
    .argument('<organization>', ORGANIZATION.named)
    .argument('<member>', MEMBER.named)
    .addOption(roleOption().makeOptionMandatory())
    .addOption(outputOption())
    .action(async (named: string, member: string, { role, output }: RoleOption) => {
      const client = restClient(await remote())
      terminal.out(formatFacts(output, await client.patch<Member>(await memberPath(client, named, member), { role })))
    })

  program
    .command('remove-member')
    .description('remove a member from an organization, or leave it')
    .argument('<organization>', ORGANIZATION.named)
    .argument('<member>', MEMBER.named)
    .action(async (named: string, member: string) => {
      const client = restClient(await remote())
      await client.delete(await memberPath(client, named, member))
      terminal.out(`removed ${member}\n`)
    })

  program
    .command('invite')
    .description('invite an email to an organization; the link is shown once, and no email is sent')
    .argument('<organization>', ORGANIZATION.named)
    .argument('<email>', 'a login with this email accepts the invitation, and so does the link')
    .addOption(roleOption().default('member'))
    .option('--expires-in-days <days>', 'how long the invitation is valid; default: 7', wholeNumber)
    .addOption(outputOption())
    .action(async (named: string, email: string, { role, expiresInDays, output }: InviteOptions) => {
      const client = restClient(await remote())
      const path = `${await organizationPath(client, named)}/invitations`
      const draft = { email, role, ...(expiresInDays !== undefined && { expires_in_days: expiresInDays }) }
      terminal.out(formatFacts(output, await client.post<Invitation & { url: string }>(path, draft)))
    })

  program
    .command('list-invitations')
    .description('list the open invitations of an organization')
    .argument('<organization>', ORGANIZATION.named)
    .addOption(outputOption())
    .action(async (named: string, { output }: OutputOption) => {
      const client = restClient(await remote())
      const columns = [
        { head: 'id', cell: (row: Invitation) => row.id },
        { head: 'email', cell: (row: Invitation) => row.email },
        { head: 'role', cell: (row: Invitation) => row.role },
        { head: 'expires', cell: (row: Invitation) => row.expires_at },
      ]
      const open = await allPages<Invitation>(client, `${await organizationPath(client, named)}/invitations`)
      terminal.out(formatList(output, open, columns))
    })

  program
    .command('revoke-invitation')
    .description('revoke an open invitation of an organization')
    .argument('<organization>', ORGANIZATION.named)
    .argument('<id>', 'as list-invitations shows it')
    .action(async (named: string, id: string) => {
      const client = restClient(await remote())
      await client.delete(`${await organizationPath(client, named)}/invitations/${encodeURIComponent(id)}`)
      terminal.out(`revoked ${id}\n`)
    })

  program
    .command('accept-invitation')
    .description('join an organization with the token of an invitation')
    .argument('<token>', 'the part of the link after #')
    .addOption(outputOption())
    .action(async (token: string, { output }: OutputOption) => {
      const joined = await restClient(await remote()).post<object>('/invitations:accept', { token })
      terminal.out(formatFacts(output, joined))
    })
}
