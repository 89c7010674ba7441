import type { Command } from 'commander'
import { defineFailures } from '../../../kernel/index.ts'
import { restClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatList } from '../../output.ts'
import { outputOption, type OutputOption } from '../options.ts'
import { pathOfTemplate, PRODUCT, TEMPLATE } from './nouns.ts'

export interface Grant {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly granted_at: string
  readonly revoked_at: string | null
}

const raise = defineFailures({
  NoSuchGrant: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Name it as `caelus list-grants` shows it.',
  },
  GrantUnnamed: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Write kind and name as `caelus inspect-chart` shows them: ClusterRole/{release}-reader.',
  },
})

export const GRANTED = 'objects of the whole cluster that its releases may have, as inspect-chart offers them'

/** `ClusterRole/{release}-reader`. */
export function grantNamed(text: string): { readonly kind: string; readonly name: string } {
  const [, kind = '', name = ''] = /^([^/]+)\/(.+)$/.exec(text) ?? []
  if (kind === '') throw raise.GrantUnnamed(`${JSON.stringify(text)} is not an object`)
  return { kind, name }
}

interface Granted {
  readonly grants: readonly Grant[]
}

const COLUMNS = [
  { head: 'object', cell: ({ kind, name }: Grant) => `${kind}/${name}` },
  { head: 'granted', cell: ({ granted_at: at }: Grant) => at },
  { head: 'revoked', cell: ({ revoked_at: at }: Grant) => at },
]

export function grantCommands(program: Command, remote: CliPorts['remote'], terminal: CliPorts['terminal']): void {
  program
    .command('list-grants')
    .description('list the objects of the whole cluster that releases of a template may have')
    .argument('<product>', PRODUCT.named)
    .argument('<template>', TEMPLATE.named)
    .addOption(outputOption())
    .action(async (product: string, template: string, { output }: OutputOption) => {
      const client = restClient(await remote())
      const { grants } = await client.get<Granted>(await pathOfTemplate(client, product, template))
      terminal.out(formatList(output, grants, COLUMNS))
    })

  program
    .command('grant-template')
    .description('let releases of a template have objects of the whole cluster, exactly as get-template shows them')
    .argument('<product>', PRODUCT.named)
    .argument('<template>', TEMPLATE.named)
    .argument('<objects...>', 'such as ClusterRole/{release}-reader, as inspect-chart offers them')
    .addOption(outputOption())
    .action(async (product: string, template: string, objects: readonly string[], { output }: OutputOption) => {
      const grants = objects.map(grantNamed)
      const client = restClient(await remote())
      const path = `${await pathOfTemplate(client, product, template)}/grants`
      terminal.out(formatList(output, (await client.post<Granted>(path, { grants })).grants, COLUMNS))
    })

  program
    .command('revoke-grant')
    .description('revoke a grant: what releases have of it stays, and their next change is refused')
    .argument('<product>', PRODUCT.named)
    .argument('<template>', TEMPLATE.named)
    .argument('<object>', 'as list-grants shows it')
    .action(async (product: string, template: string, object: string) => {
      const { kind, name } = grantNamed(object)
      const client = restClient(await remote())
      const path = await pathOfTemplate(client, product, template)
      const { grants } = await client.get<Granted>(path)
      const standing = grants.find((one) => one.kind === kind && one.name === name && one.revoked_at === null)
      if (standing === undefined) throw raise.NoSuchGrant(`${object} is not granted to ${template}`)
      await client.delete(`${path}/grants/${encodeURIComponent(standing.id)}`)
      terminal.out(`revoked ${object}\n`)
    })
}
