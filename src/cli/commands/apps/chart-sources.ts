import { readFile } from 'node:fs/promises'
import { Option, type Command } from 'commander'
import { allPages, restClient } from '../../client.ts'
import { raise } from '../../failures.ts'
import { formatFacts, formatList } from '../../output.ts'
import type { CliPorts } from '../../ports.ts'
import { outputOption, type OutputOption } from '../options.ts'

interface Source {
  readonly host: string
  readonly username: string | null
  readonly ca: string | null
  readonly verification: string
  readonly keys: readonly { readonly fingerprint: string; readonly identity: string }[]
  readonly updated_at: string
}

interface SetOptions extends OutputOption {
  readonly username?: string
  readonly passwordFile?: string
  readonly caFile?: string
  readonly verification?: string
  readonly keyringFile?: string
}

const HOST = 'host of the registry or repository, such as registry.example.com:5000'
const pathOf = (host: string): string => `/chart-sources/${encodeURIComponent(host)}`

export function chartSourceCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('set-chart-source')
    .description('say what charts of one host are fetched with; replaces what was said before')
    .argument('<host>', HOST)
    .option('--username <name>', 'user who may pull; without one, requests are anonymous')
    .option('--password-file <path>', 'file with the password; - reads standard input; absent: the stored one is kept')
    .option('--ca-file <path>', 'file with the certificate authorities of the host, in PEM')
    .addOption(
      new Option('--verification <which>', 'whether its charts must be signed; absent: as it was').choices([
        'none',
        'required',
      ]),
    )
    .option(
      '--keyring-file <path>',
      'file with the public OpenPGP keys that sign its charts, in ASCII armor; absent: as it was',
    )
    .addOption(outputOption())
    .action(async (host: string, { username, passwordFile, caFile, verification, keyringFile, output }: SetOptions) => {
      const client = restClient(await remote())
      const source = await client.put<Source>(pathOf(host), {
        ...(username !== undefined && { username }),
        ...(passwordFile !== undefined && { password: await textIn('--password-file', passwordFile) }),
        ...(caFile !== undefined && { ca: await textIn('--ca-file', caFile) }),
        ...(verification !== undefined && { verification }),
        ...(keyringFile !== undefined && { keyring: await textIn('--keyring-file', keyringFile) }),
      })
      terminal.out(formatFacts(output, source))
    })

  program
    .command('list-chart-sources')
    .description('list the hosts for which access is stored; passwords are never shown')
    .addOption(outputOption())
    .action(async ({ output }: OutputOption) => {
      const sources = await allPages<Source>(restClient(await remote()), '/chart-sources')
      const columns = [
        { head: 'host', cell: ({ host }: Source) => host },
        { head: 'username', cell: ({ username }: Source) => username },
        { head: 'own authority', cell: ({ ca }: Source) => (ca === null ? 'no' : 'yes') },
        { head: 'signatures', cell: ({ verification }: Source) => verification },
        { head: 'keys', cell: ({ keys }: Source) => keys.map(({ fingerprint }) => fingerprint.slice(-16)).join(', ') },
        { head: 'changed', cell: ({ updated_at }: Source) => updated_at },
      ]
      terminal.out(formatList(output, sources, columns))
    })

  program
    .command('delete-chart-source')
    .description('forget what charts of one host are fetched with')
    .argument('<host>', HOST)
    .action(async (host: string) => {
      await restClient(await remote()).delete(pathOf(host))
      terminal.out(`deleted ${host}\n`)
    })
}

/** Without the line break that editors and `echo` add. */
async function textIn(option: string, path: string): Promise<string> {
  const text = await readFile(path === '-' ? '/dev/stdin' : path, 'utf8').catch((cause: unknown) => {
    throw raise.InputUnreadable(`failed to read ${path} of ${option}`, { cause })
  })
  return text.replace(/\r?\n$/, '')
}
