import type { Command } from 'commander'
import { allPages, restClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatFacts, formatList } from '../../output.ts'
import { pathOfTemplate, PRODUCT, TEMPLATE } from './nouns.ts'
import { readList, readObject, readValues, withValues, type ValuesOptions } from './values.ts'
import { GRANTED, grantCommands, grantNamed, type Grant } from './grants.ts'
import { layoutIn, withLayout, type LayoutOptions } from './layout.ts'
import { inspectionText, type InspectedChart } from './inspection.ts'
import { durationMs, outputOption, type OutputOption } from '../options.ts'

interface Template {
  readonly id: string
  readonly product_id: string
  readonly chart_ref: string
  readonly chart_version: string
  readonly chart_digest: string | null
  readonly version_label: string | null
  readonly grants: readonly Grant[]
  readonly created_at: string
}

interface CreateOptions extends OutputOption, ValuesOptions, LayoutOptions {
  readonly product: string
  readonly chart: string
  readonly chartVersion: string
  readonly digest?: string
  readonly label?: string
  readonly schemaFile?: string
  readonly driftIgnoreFile?: string
  readonly healthTimeout?: number
  readonly grant?: readonly string[]
  readonly canonical?: boolean
  readonly force?: boolean
}

const RULE = '[{"kind":"Deployment","paths":["/spec/replicas"]}]'
const DRIFT_IGNORE = [
  '--drift-ignore-file <path>',
  'rules for fields that are left to others, as a list in YAML or JSON; - reads standard input',
] as const

export function templateCommands(program: Command, { remote, terminal }: CliPorts): void {
  const create = program
    .command('create-template')
    .description('publish a chart as a template of a product; what no option sets comes from the chart')
    .requiredOption('--product <product>', PRODUCT.named)
    .requiredOption('--chart <ref>', 'oci://…, https://…, or a local path in development')
    .requiredOption('--chart-version <version>', 'version of the chart')
    .option('--digest <sha256>', 'refuse a chart with another digest; without it, the present one is pinned')
    .option('--label <text>', 'how people call this version')
    .option('--schema-file <path>', 'schema of the values, instead of the one in the chart')
    .option(...DRIFT_IGNORE)
    .option('--health-timeout <duration>', 'how long an install may take to get healthy, such as 10m', durationMs)
    .option('--grant <objects...>', GRANTED)
    .option('--canonical', 'new deployments of the product get it')
    .option('--force', 'publish it although every order of it would fail')
  withLayout(withValues(create, 'default values, laid over those in the chart'))
    .addOption(outputOption())
    .action(async (options: CreateOptions) => {
      const { product, digest, label, healthTimeout, grant = [], canonical = false, force = false, output } = options
      const client = restClient(await remote())
      const template = await client.post<Template>(await pathOfTemplate(client, product), {
        chart_ref: options.chart,
        chart_version: options.chartVersion,
        ...(digest !== undefined && { chart_digest: digest }),
        ...(label !== undefined && { version_label: label }),
        ...(await valuesIn(options)),
        ...(healthTimeout !== undefined && { health_timeout_sec: Math.ceil(healthTimeout / 1000) }),
        ...(grant.length > 0 && { grants: grant.map(grantNamed) }),
        ...(force && { accept_problems: true }),
        ...(canonical && { canonical }),
      })
      terminal.out(formatFacts(output, template))
    })

  program
    .command('list-templates')
    .description('list the templates of a product, newest first')
    .argument('<product>', PRODUCT.named)
    .addOption(outputOption())
    .action(async (product: string, { output }: OutputOption) => {
      const columns = [
        { head: 'id', cell: (template: Template) => template.id },
        { head: 'label', cell: (template: Template) => template.version_label },
        { head: 'chart', cell: (template: Template) => template.chart_ref },
        { head: 'version', cell: (template: Template) => template.chart_version },
        { head: 'created', cell: (template: Template) => template.created_at },
      ]
      const client = restClient(await remote())
      const templates = await allPages<Template>(client, await pathOfTemplate(client, product))
      terminal.out(formatList(output, templates, columns))
    })

  program
    .command('get-template')
    .description('show a template with its defaults and schema')
    .argument('<product>', PRODUCT.named)
    .argument('<template>', TEMPLATE.named)
    .addOption(outputOption())
    .action(async (product: string, template: string, { output }: OutputOption) => {
      const client = restClient(await remote())
      terminal.out(formatFacts(output, await client.get<Template>(await pathOfTemplate(client, product, template))))
    })

  program
    .command('delete-template')
    .description('delete a template that no deployment uses')
    .argument('<product>', PRODUCT.named)
    .argument('<template>', TEMPLATE.named)
    .action(async (product: string, template: string) => {
      const client = restClient(await remote())
      await client.delete(await pathOfTemplate(client, product, template))
      terminal.out(`deleted ${template}\n`)
    })

  grantCommands(program, remote, terminal)

  program
    .command('install-crds')
    .description('install the definitions that the chart of a template has in crds/: all of them or none')
    .argument('<product>', PRODUCT.named)
    .argument('<template>', TEMPLATE.named)
    .option('--dry-run', 'tell what would change, and change nothing')
    .addOption(outputOption())
    .action(async (product: string, template: string, { dryRun = false, output }: InstallOptions) => {
      const client = restClient(await remote())
      const path = `${await pathOfTemplate(client, product, template)}:install-crds`
      const { definitions } = await client.post<{ definitions: readonly Definition[] }>(path, { dry_run: dryRun })
      const columns = [
        { head: 'definition', cell: ({ name }: Definition) => name },
        { head: 'change', cell: ({ change }: Definition) => change },
        { head: 'versions', cell: ({ versions }: Definition) => versions.join(', ') },
      ]
      terminal.out(formatList(output, definitions, columns))
    })

  const inspect = program
    .command('inspect-chart')
    .description('show the template that a chart would become, and what an order of it would make; nothing is stored')
    .argument('<ref>', 'oci://…, https://…, or a local path in development')
    .argument('<version>', 'version of the chart')
    .option('--schema-file <path>', 'schema of the values, instead of the one in the chart')
    .option(...DRIFT_IGNORE)
  withLayout(withValues(inspect, 'default values, laid over those in the chart'))
    .addOption(outputOption())
    .action(async (ref: string, version: string, options: InspectOptions) => {
      const chart = await restClient(await remote()).post<InspectedChart>('/charts:inspect', {
        chart_ref: ref,
        chart_version: version,
        ...(await valuesIn(options)),
      })
      terminal.out(options.output === 'table' ? inspectionText(chart) : formatFacts(options.output, chart))
    })
}

interface InstallOptions extends OutputOption {
  readonly dryRun?: boolean
}

interface Definition {
  readonly name: string
  readonly change: string
  readonly versions: readonly string[]
}

interface InspectOptions extends OutputOption, ValuesOptions, LayoutOptions {
  readonly schemaFile?: string
  readonly driftIgnoreFile?: string
}

/** What a template says about values and drift, as the API takes it. */
async function valuesIn(options: InspectOptions): Promise<object> {
  const values = await readValues(options)
  const { schemaFile, driftIgnoreFile } = options
  return {
    ...(values !== undefined && { default_values: values }),
    ...(schemaFile !== undefined && { values_schema: await readObject('--schema-file', schemaFile) }),
    ...layoutIn(options),
    ...(driftIgnoreFile !== undefined && {
      drift_ignore: await readList('--drift-ignore-file', driftIgnoreFile, RULE),
    }),
  }
}
