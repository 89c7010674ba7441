import { Argument, Option, type Command } from 'commander'
import { restClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatList, formatValue } from '../../output.ts'
import { CLUSTER } from '../clusters/nouns.ts'
import { clusterOf, deploymentsOf, otherTemplate, pathOf, templateOf, inputs } from './deployments.ts'
import { DEPLOYMENT, deploymentNamed } from './nouns.ts'
import { withValues, type ValuesOptions } from './values.ts'
import { outputOption, type OutputOption } from '../options.ts'
import {
  explanationText,
  limitOption,
  previewText,
  timelineText,
  type Explanation,
  type Preview,
  type TimelineOptions,
} from '../insight.ts'

interface Resource {
  readonly id: string
  readonly health: string
  readonly message: string
  readonly since: string | null
}

interface Notes {
  readonly revision: number | null
  readonly notes: string | null
}

const NO_NOTES = 'there are none'

interface PreviewOptions extends OutputOption, ValuesOptions {
  readonly domain?: string
  readonly template?: string
  readonly product?: string
  readonly user?: string
  readonly cluster?: string
}

/** A manifest is a list of objects. */
async function valueIn(part: 'manifest' | 'values', text: string): Promise<unknown> {
  const { parseAllDocuments } = await import('yaml')
  const documents = parseAllDocuments(text, { version: '1.1' }).map((document): unknown => document.toJS())
  return part === 'manifest' ? documents : documents[0]
}

export function insightCommands(program: Command, { remote, terminal }: CliPorts): void {
  const preview = program
    .command('preview')
    .description('show the field changes that an order or a change would make; nothing is saved')
    .addArgument(new Argument('[deployment]', 'the one to change, by name, domain or id; without it, a new one'))
    .option('--domain <name>', 'where it is reached')
    .option(
      '--template <template>',
      'exactly this template: its id; its label or chart version if the product is known',
    )
    .option('--product <product>', 'of a new one: by name or id; without --template, its canonical template')
    .option('--user <user>', 'of a new one: for whom, by email or id; without it, for yourself')
    .option('--cluster <cluster>', `of a new one: in which cluster, by ${CLUSTER.named}`)
  withValues(preview, 'the settings')
    .addOption(outputOption())
    .action(async (named: string | undefined, options: PreviewOptions) => {
      const input = await inputs(options)
      const client = restClient(await remote())
      const post = async (): Promise<Preview> => {
        const { template, product, user, cluster } = options
        if (named !== undefined) {
          const present = await deploymentNamed(client, named)
          const change = { ...input, ...(await otherTemplate(client, present, template)) }
          return await client.post(`${pathOf(present)}:preview`, change)
        }
        const path = `${await deploymentsOf(client, user)}:preview`
        const place = await clusterOf(client, cluster)
        return await client.post(path, { ...input, ...place, template_id: await templateOf(client, template, product) })
      }
      const answer = await post()
      terminal.out(options.output === 'table' ? previewText(answer) : formatValue(options.output, answer))
    })

  program
    .command('explain')
    .description('show why a deployment is in its state, what happens next, and who has to act')
    .argument('<deployment>', DEPLOYMENT.named)
    .addOption(outputOption())
    .action(async (named: string, { output }: OutputOption) => {
      const client = restClient(await remote())
      const answer = await client.get<Explanation>(`${pathOf(await deploymentNamed(client, named))}/explain`)
      terminal.out(output === 'table' ? explanationText(answer) : formatValue(output, answer))
    })

  program
    .command('timeline')
    .description('show the history of a deployment, newest first')
    .argument('<deployment>', DEPLOYMENT.named)
    .addOption(limitOption())
    .addOption(outputOption())
    .action(async (named: string, { limit, output }: TimelineOptions) => {
      const client = restClient(await remote())
      terminal.out(await timelineText(client, pathOf(await deploymentNamed(client, named)), limit, output))
    })

  program
    .command('get-notes')
    .description('show what the chart of a deployment says to whoever installed it')
    .argument('<deployment>', DEPLOYMENT.named)
    .addOption(outputOption())
    .action(async (named: string, { output }: OutputOption) => {
      const client = restClient(await remote())
      const answer = await client.get<Notes>(`${pathOf(await deploymentNamed(client, named))}/notes`)
      terminal.out(output === 'table' ? `${answer.notes ?? NO_NOTES}\n` : formatValue(output, answer))
    })

  for (const [part, what] of [
    ['manifest', 'the rendered manifest of a deployment'],
    ['values', 'the values that a deployment is made of, with the defaults of its chart'],
  ] as const) {
    program
      .command(`get-${part}`)
      .description(`show ${what}; secrets are masked`)
      .argument('<deployment>', DEPLOYMENT.named)
      .addOption(
        new Option('-o, --output <format>', 'how to print the answer').choices(['yaml', 'json']).default('yaml'),
      )
      .action(async (named: string, { output }: { readonly output: 'yaml' | 'json' }) => {
        const client = restClient(await remote())
        const text = await client.getText(`${pathOf(await deploymentNamed(client, named))}/${part}`)
        terminal.out(output === 'yaml' ? text : formatValue('json', await valueIn(part, text)))
      })
  }

  program
    .command('list-resources')
    .description('list the Kubernetes objects of a deployment')
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
