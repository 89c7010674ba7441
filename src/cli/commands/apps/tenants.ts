import type { Command } from 'commander'
import { restClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { userPath } from '../identity/users.ts'
import { USER } from '../identity/nouns.ts'

export function tenantCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('freeze-tenant')
    .description('stop reconciling the deployments of a user; runs under way go on')
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
}
