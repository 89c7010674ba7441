import { Option, type Command } from 'commander'
import { allPages, restClient, type RestClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { raise } from '../../failures.ts'
import { formatFacts, formatList } from '../../output.ts'
import { isId } from '../../find-by-name.ts'
import { DEPLOYMENT, deploymentNamed, productNamed, templateNamed, templatePath } from './nouns.ts'
import { CLUSTER, clusterNamed } from '../clusters/nouns.ts'
import { userNamed } from '../identity/nouns.ts'
import { readValues, withValues, type ValuesOptions } from './values.ts'
import { converged, type Deployment, STATUSES } from './wait.ts'
import { needsOneOf, outputOption, timeoutOption, type OutputOption } from '../options.ts'

export interface WaitOptions {
  readonly wait?: boolean
  readonly timeout: number
}

interface InputOptions extends ValuesOptions {
  readonly domain?: string
  readonly template?: string
}

interface CreateOptions extends OutputOption, WaitOptions, InputOptions {
  readonly product?: string
  readonly user?: string
  readonly cluster?: string
  readonly domain: string
}

interface UpdateOptions extends OutputOption, WaitOptions, InputOptions {}

interface ListOptions extends OutputOption {
  readonly user?: string
  readonly all?: boolean
  readonly status?: string
  readonly cluster?: string
  readonly behind?: boolean
  readonly withDeleted?: boolean
}

export const withWaiting = (command: Command, until: string): Command =>
  command.option('--wait', `wait until it ${until}, and show the progress`).addOption(timeoutOption(10))

export const pathOf = ({ id, user_id }: Pick<Deployment, 'id' | 'user_id'>): string =>
  `/users/${encodeURIComponent(user_id)}/deployments/${encodeURIComponent(id)}`

/** The path of the deployments of a user; without a name, of the caller. */
export const deploymentsOf = async (client: RestClient, user?: string): Promise<string> =>
  `/users/${encodeURIComponent(await userNamed(client, user))}/deployments`

/** Domain and values: what can be told without asking the server. */
export async function inputs(options: InputOptions): Promise<object> {
  const { domain } = options
  const values = await readValues(options)
  return {
    ...(domain !== undefined && { domainname: domain }),
    ...(values !== undefined && { user_values: values }),
  }
}

/** The cluster to be in. */
export const clusterOf = async (client: RestClient, named?: string): Promise<{ readonly cluster_id?: string }> =>
  named === undefined ? {} : { cluster_id: (await clusterNamed(client, named)).id }

/** The template that a deployment is to have: one of its product. */
export const otherTemplate = async (client: RestClient, { product }: Deployment, named?: string): Promise<object> =>
  named === undefined ? {} : { template_id: await templateNamed(client, product.id, named) }

/** The template to order: the named one, or the canonical one of the named product. */
export async function templateOf(client: RestClient, template?: string, product?: string): Promise<string> {
  if (product === undefined) {
    if (template === undefined) throw raise.InputUnreadable('neither --template nor --product says what to order')
    if (isId(template)) return template
    throw raise.InputUnreadable(`"${template}" of --template is no id; say with --product of which product it is`)
  }
  const productId = await productNamed(client, product)
  if (template !== undefined) {
    const path = templatePath(productId, await templateNamed(client, productId, template))
    return (await client.get<{ id: string }>(path)).id
  }
  const { template_id: canonical, name } = await client.get<{ template_id: string | null; name: string }>(
    `/products/${encodeURIComponent(productId)}`,
  )
  if (canonical === null)
    throw raise.InputUnreadable(`product ${name} of --product has no canonical template; name one with --template`)
  return canonical
}

/** The template that it could be moved to, as `update-deployment --template` takes it. */
const upgradeText = ({ upgrade_available: offered }: Deployment): string | undefined =>
  offered?.version_label ?? offered?.chart_version

export function deploymentCommands(program: Command, { remote, terminal }: CliPorts): void {
  const shown = async (client: RestClient, deployment: Deployment, options: OutputOption & WaitOptions) => {
    const last = options.wait === true ? await converged(client, deployment, options.timeout, terminal) : deployment
    terminal.out(formatFacts(options.output, last))
  }

  const create = program
    .command('create-deployment')
    .description('order a product: create a deployment of it')
    .option('--product <product>', 'what to order, by name or id; without --template, its canonical template')
    .option('--template <template>', 'exactly this template: its id, or with --product its label or chart version')
    .requiredOption('--domain <name>', 'where it is reached')
    .option('--user <user>', 'for whom, by email or id; without it, for yourself')
    .option('--cluster <cluster>', `in which cluster, by ${CLUSTER.named}; without it, on the platform itself`)
  withWaiting(withValues(create, 'your settings'), 'is ready')
    .addOption(outputOption())
    .action(async (options: CreateOptions) => {
      const { user, template, product, cluster } = options
      const input = await inputs(options)
      const client = restClient(await remote())
      const path = await deploymentsOf(client, user)
      const template_id = await templateOf(client, template, product)
      const place = await clusterOf(client, cluster)
      await shown(client, await client.post<Deployment>(path, { ...input, ...place, template_id }), options)
    })

  program
    .command('list-deployments')
    .description('list your deployments, newest first')
    .option('--user <user>', 'those of this user, by email or id')
    .addOption(new Option('--all', 'those of all users; for admins').conflicts('user'))
    .addOption(new Option('--status <status>', 'only with this status').choices(STATUSES))
    .option('--cluster <cluster>', `only those in this cluster, by ${CLUSTER.named}`)
    .option('--behind', 'only those for which a newer template is there')
    .option('--with-deleted', 'also deleted ones')
    .addOption(outputOption())
    .action(async (options: ListOptions) => {
      const { user, all = false, status, cluster, behind = false, withDeleted = false, output } = options
      const client = restClient(await remote())
      const path = all ? '/deployments' : await deploymentsOf(client, user)
      const query = {
        status,
        ...(await clusterOf(client, cluster)),
        ...(behind && { behind: 'true' }),
        ...((withDeleted || status === 'deleted') && { with_deleted: 'true' }),
      }
      const columns = [
        { head: 'id', cell: (one: Deployment) => one.id },
        { head: 'name', cell: (one: Deployment) => one.deployment_uid },
        { head: 'product', cell: (one: Deployment) => one.product.name },
        { head: 'domain', cell: (one: Deployment) => one.domainname },
        { head: 'status', cell: (one: Deployment) => one.status },
        { head: 'since', cell: (one: Deployment) => one.status_since },
        { head: 'cluster', cell: (one: Deployment) => one.cluster_name ?? one.cluster_id },
        { head: 'failure', cell: (one: Deployment) => one.last_error?.code },
        { head: 'upgrade', cell: upgradeText },
      ]
      terminal.out(formatList(output, await allPages<Deployment>(client, path, query), columns))
    })

  program
    .command('get-deployment')
    .description('show a deployment')
    .argument('<deployment>', DEPLOYMENT.named)
    .addOption(outputOption())
    .action(async (named: string, { output }: OutputOption) =>
      terminal.out(formatFacts(output, await deploymentNamed(restClient(await remote()), named))),
    )

  const update = program
    .command('update-deployment')
    .description('change the domain or settings of a deployment; an admin also the template')
    .argument('<deployment>', DEPLOYMENT.named)
    .option('--domain <name>', 'where it is reached')
    .option('--template <template>', 'a newer one of the same product, by label, chart version or id; for admins')
  withWaiting(
    withValues(update, 'all your settings anew; write-only ones that are left out stay'),
    'is ready',
  ).addOption(outputOption())
  needsOneOf(update, '--domain', '--template', '--values-file', '--values-json').action(
    async (named: string, options: UpdateOptions) => {
      const input = await inputs(options)
      const client = restClient(await remote())
      const present = await deploymentNamed(client, named)
      const change = { ...input, ...(await otherTemplate(client, present, options.template)) }
      await shown(client, await client.patch<Deployment>(pathOf(present), change, present.generation), options)
    },
  )

  const posted = async (client: RestClient, named: string, verb: string): Promise<Deployment> =>
    client.post<Deployment>(`${pathOf(await deploymentNamed(client, named))}:${verb}`, {})

  for (const [verb, description] of [
    ['retry', 'try what failed anew, however often it was tried before'],
    ['resume', 'apply what was changed while it was suspended, and keep it in order again'],
  ] as const) {
    const command = program.command(`${verb}-deployment`).description(description)
    withWaiting(command.argument('<deployment>', DEPLOYMENT.named), 'is ready')
      .addOption(outputOption())
      .action(async (named: string, options: WaitOptions & OutputOption) => {
        const client = restClient(await remote())
        await shown(client, await posted(client, named, verb), options)
      })
  }

  program
    .command('suspend-deployment')
    .description('leave a deployment as it is: changes are saved and not applied, drift is not repaired')
    .argument('<deployment>', DEPLOYMENT.named)
    .addOption(outputOption())
    .action(async (named: string, { output }: OutputOption) =>
      terminal.out(formatFacts(output, await posted(restClient(await remote()), named, 'suspend'))),
    )

  withWaiting(
    program
      .command('delete-deployment')
      .description('delete a deployment with everything in it')
      .argument('<deployment>', DEPLOYMENT.named),
    'is gone',
  ).action(async (named: string, { wait = false, timeout }: WaitOptions) => {
    const client = restClient(await remote())
    const present = await deploymentNamed(client, named)
    await client.delete(pathOf(present))
    if (wait) await converged(client, present, timeout, terminal)
    terminal.out(`${wait ? 'deleted' : 'deleting'} ${present.deployment_uid}\n`)
  })
}
