import { Option, type Command } from 'commander'
import { allPages, restClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatFacts, formatList } from '../../output.ts'
import { outputOption, wholeNumber, type OutputOption } from '../options.ts'

interface Token {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly role: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
}

interface CreateOptions extends OutputOption {
  readonly role: string
  readonly expiresInDays?: number
}

export function tokenCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('create-token')
    .description('create an API token; it is shown once')
    .argument('<name>', 'to tell it from others')
    .addOption(new Option('--role <role>', 'what it may do').choices(['admin', 'member']).default('member'))
    .option('--expires-in-days <days>', 'how long it works; without it, until it is revoked', wholeNumber)
    .addOption(outputOption())
    .action(async (name: string, { role, expiresInDays, output }: CreateOptions) => {
      const draft = { name, role, ...(expiresInDays !== undefined && { expires_in_days: expiresInDays }) }
      terminal.out(
        formatFacts(output, await restClient(await remote()).post<Token & { secret: string }>('/tokens', draft)),
      )
    })

  program
    .command('list-tokens')
    .description('list your API tokens')
    .addOption(outputOption())
    .action(async ({ output }: OutputOption) => {
      const tokens = await allPages<Token>(restClient(await remote()), '/tokens')
      const columns = [
        { head: 'id', cell: (token: Token) => token.id },
        { head: 'name', cell: (token: Token) => token.name },
        { head: 'begins', cell: (token: Token) => token.prefix },
        { head: 'role', cell: (token: Token) => token.role },
        { head: 'expires', cell: (token: Token) => token.expires_at },
        { head: 'last used', cell: (token: Token) => token.last_used_at },
      ]
      terminal.out(formatList(output, tokens, columns))
    })

  program
    .command('revoke-token')
    .description('revoke one of your API tokens')
    .argument('<id>', 'as list-tokens shows it')
    .action(async (id: string) => {
      await restClient(await remote()).delete(`/tokens/${encodeURIComponent(id)}`)
      terminal.out(`revoked ${id}\n`)
    })
}
