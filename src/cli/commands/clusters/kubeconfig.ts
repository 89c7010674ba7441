import { rename, rm, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { restClient } from '../../client.ts'
import { raise } from '../../failures.ts'
import type { CliPorts } from '../../ports.ts'
import { durationMs } from '../options.ts'
import { pathOf } from './cluster.ts'
import { CLUSTER, clusterNamed, organizationOption, type OrganizationOption } from './nouns.ts'

interface KubeconfigOptions extends OrganizationOption {
  readonly file?: string
  readonly expiresIn?: number
}

interface Kubeconfig {
  readonly kubeconfig: string
  readonly expires_at: string
}

export function kubeconfigCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('get-kubeconfig')
    .description('get a kubeconfig of an administrator of a cluster; it ends soon, and it is recorded who asked')
    .argument('<cluster>', CLUSTER.named)
    .addOption(organizationOption('of which organization'))
    .option('--expires-in <duration>', 'for how long it is valid, from 10m to 24h; without it, 1h', durationMs)
    .option('--file <path>', 'write it to a file that only you can read; without it, to standard output')
    .action(async (named: string, { organization, expiresIn, file }: KubeconfigOptions) => {
      const client = restClient(await remote())
      const path = `${pathOf(await clusterNamed(client, named, organization))}/kubeconfig`
      const lifetime = expiresIn === undefined ? {} : { expires_in_seconds: expiresIn / 1000 }
      const { kubeconfig, expires_at } = await client.post<Kubeconfig>(path, lifetime)
      if (file === undefined) terminal.out(kubeconfig)
      else await writeForOwner(file, kubeconfig)
      terminal.err(`${file === undefined ? '' : `wrote ${file}; `}valid until ${expires_at}\n`)
    })
}

/** By a new file: one that is there may be readable by others, and stays so when it is written to. */
async function writeForOwner(path: string, text: string): Promise<void> {
  const made = `${path}.${process.pid}.new`
  try {
    await writeFile(made, text, { mode: 0o600, flag: 'wx' })
    await rename(made, path)
  } catch (cause) {
    await rm(made, { force: true })
    throw raise.InputUnreadable(`failed to write ${path} of --file`, { cause })
  }
}
