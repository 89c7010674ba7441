import { Argument, type Command } from 'commander'
import { restClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatFacts, formatList, formatValue } from '../../output.ts'
import { deploymentsOf, otherTemplate, pathOf, templateOf, inputs } from './deployments.ts'
import { DEPLOYMENT, deploymentNamed } from './nouns.ts'
import { withValues, type ValuesOptions } from './values.ts'
import { runtimePath } from '../runtimes/wait.ts'
import { outputOption, wholeNumber, type OutputOption } from '../options.ts'

interface FieldChange {
  readonly field: string
  readonly change: string
  readonly before?: unknown
  readonly after?: unknown
}

export interface Preview {
  readonly values: readonly FieldChange[]
  readonly objects: readonly {
    readonly object: string
    readonly change: string
    readonly fields: readonly FieldChange[]
  }[]
}

export interface Explanation {
  readonly why: readonly string[]
  readonly next: string
  readonly whose_move: string
  readonly next_step: string | null
  readonly blockers: readonly string[]
}

interface Entry {
  readonly at: string
  readonly actor: string | null
  readonly what: string
  readonly message: string
}

interface Resource {
  readonly id: string
  readonly health: string
  readonly message: string
  readonly since: string | null
}

interface PreviewOptions extends OutputOption, ValuesOptions {
  readonly domain?: string
  readonly template?: string
  readonly product?: string
  readonly user?: string
}

export function insightCommands(program: Command, { remote, terminal }: CliPorts): void {
  const preview = program
    .command('preview')
    .description('the exact field changes that an order or a change would make; nothing is saved')
    .addArgument(new Argument('[deployment]', 'the one to change, by name, domain or id; without it, a new one'))
    .option('--domain <name>', 'where it is reached')
    .option(
      '--template <template>',
      'exactly this template: its id; its label or chart version if the product is known',
    )
    .option('--product <product>', 'of a new one: by name or id; without --template, its canonical template')
    .option('--user <user>', 'of a new one: for whom, by email or id; without it, for yourself')
  withValues(preview, 'the settings')
    .addOption(outputOption())
    .action(async (named: string | undefined, options: PreviewOptions) => {
      const input = await inputs(options)
      const client = restClient(await remote())
      const post = async (): Promise<Preview> => {
        const { template, product, user } = options
        if (named !== undefined) {
          const present = await deploymentNamed(client, named)
          const change = { ...input, ...(await otherTemplate(client, present, template)) }
          return await client.post(`${pathOf(present)}:preview`, change)
        }
        const path = `${await deploymentsOf(client, user)}:preview`
        return await client.post(path, { ...input, template_id: await templateOf(client, template, product) })
      }
      const answer = await post()
      terminal.out(options.output === 'table' ? previewText(answer) : formatValue(options.output, answer))
    })

  program
    .command('explain')
    .description('why a deployment is as it is, what happens next, and whose move it is')
    .argument('<deployment>', DEPLOYMENT.named)
    .addOption(outputOption())
    .action(async (named: string, { output }: OutputOption) => {
      const client = restClient(await remote())
      const answer = await client.get<Explanation>(`${pathOf(await deploymentNamed(client, named))}/explain`)
      terminal.out(output === 'table' ? explanationText(answer) : formatValue(output, answer))
    })

  program
    .command('timeline')
    .description('what happened to a deployment or a runtime, newest first')
    .argument('<object>', 'a deployment by name, domain or id, or a runtime as namespace/name')
    .option('--limit <count>', 'at most this many', wholeNumber)
    .addOption(outputOption())
    .action(async (named: string, { limit, output }: OutputOption & { limit?: number }) => {
      const client = restClient(await remote())
      const object = named.includes('/') ? runtimePath(named) : pathOf(await deploymentNamed(client, named))
      const { items } = await client.get<{ items: Entry[] }>(`${object}/timeline`, { limit: limit?.toString() })
      const columns = [
        { head: 'at', cell: (entry: Entry) => entry.at },
        { head: 'who', cell: (entry: Entry) => entry.actor },
        { head: 'what', cell: (entry: Entry) => entry.what },
        { head: 'message', cell: (entry: Entry) => entry.message },
      ]
      terminal.out(formatList(output, items, columns))
    })

  program
    .command('list-resources')
    .description('show the Kubernetes objects of a deployment')
    .argument('<deployment>', DEPLOYMENT.named)
    .addOption(outputOption())
    .action(async (named: string, { output }: OutputOption) => {
      const client = restClient(await remote())
      const path = `${pathOf(await deploymentNamed(client, named))}/resources`
      const { items } = await client.get<{ items: Resource[] }>(path)
      const columns = [
        { head: 'object', cell: (resource: Resource) => resource.id },
        { head: 'health', cell: (resource: Resource) => resource.health },
        { head: 'since', cell: (resource: Resource) => resource.since },
        { head: 'message', cell: (resource: Resource) => resource.message },
      ]
      terminal.out(formatList(output, items, columns))
    })
}

export const explanationText = ({ why, next, whose_move, next_step, blockers }: Explanation): string =>
  formatFacts('table', {
    why: why.join('; '),
    ...(blockers.length > 0 && { blockers: blockers.join('; ') }),
    next,
    'whose move': whose_move,
    ...(next_step !== null && { 'next step': next_step }),
  })

const SIGNS: Readonly<Record<string, string>> = { added: '+', created: '+', removed: '-', deleted: '-', changed: '~' }

/** Like a diff: what comes, what goes, what changes, and from what to what. Of what comes the fields are told when asked for. */
export function previewText({ values, objects }: Preview, { isCreatedTold = false } = {}): string {
  if (values.length === 0 && objects.length === 0) return 'nothing would change\n'
  const fieldLine = ({ field, change, before, after }: FieldChange): string => {
    const sides = [before, after].filter((side) => side !== undefined).map((side) => JSON.stringify(side))
    return `  ${SIGNS[change] ?? '~'} ${field}: ${sides.join(' -> ')}\n`
  }
  const valueLines = values.length === 0 ? [] : ['values\n', ...values.map(fieldLine)]
  const objectLines = objects.flatMap(({ object, change, fields }) => [
    `${SIGNS[change] ?? '~'} ${object}\n`,
    ...(change === 'changed' || (change === 'created' && isCreatedTold) ? fields.map(fieldLine) : []),
  ])
  return [...valueLines, ...objectLines].join('')
}
