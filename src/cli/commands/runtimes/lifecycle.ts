import { Option, type Command } from 'commander'
import { allPages, restClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatFacts, formatList, formatValue } from '../../output.ts'
import { readDocuments } from '../documents.ts'
import {
  explanationText,
  limitOption,
  previewText,
  timelineText,
  type Explanation,
  type Preview,
  type TimelineOptions,
} from '../insight.ts'
import { outputOption, timeoutOption, type OutputOption } from '../options.ts'
import { runtimePath, untilAvailable, untilGone, type Runtime } from './wait.ts'

const PHASES = ['pending', 'applying', 'progressing', 'available', 'degraded', 'deleting'] as const

interface NamespaceOption {
  readonly namespace?: string
}

interface ApplyOptions extends OutputOption, NamespaceOption {
  readonly filename: string
  readonly dryRun?: boolean
  readonly wait?: boolean
  readonly timeout: number
}

interface DeleteOptions extends NamespaceOption {
  readonly wait: boolean
  readonly timeout: number
}

interface RuntimePreview extends Preview {
  readonly change: string
  readonly template: { readonly before: string | null; readonly after: string | null }
  readonly problems: ReadonlyArray<{ readonly field: string; readonly message: string }>
}

interface Manifest {
  readonly metadata?: { readonly name?: string; readonly namespace?: string }
}

const namespaceOption = (): Option => new Option('-n, --namespace <name>', 'where it is; without it, in default')

const COLUMNS = [
  { head: 'namespace', cell: (row: Runtime) => row.namespace },
  { head: 'name', cell: (row: Runtime) => row.name },
  { head: 'phase', cell: (row: Runtime) => row.phase },
  { head: 'functions', cell: (row: Runtime) => `${row.functions_ready}/${row.functions_total}` },
  { head: 'template', cell: (row: Runtime) => row.template },
  { head: 'mode', cell: (row: Runtime) => row.mode },
  { head: 'created', cell: (row: Runtime) => row.created_at },
  { head: 'message', cell: (row: Runtime) => row.message },
]

export function runtimeLifeCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('list-runtimes')
    .description('list class runtimes')
    .option('-n, --namespace <name>', 'only those in this namespace')
    .addOption(new Option('--phase <phase>', 'only those in this phase').choices(PHASES))
    .addOption(outputOption())
    .action(async ({ namespace, phase, output }: OutputOption & NamespaceOption & { phase?: string }) => {
      const rows = await allPages<Runtime>(restClient(await remote()), '/runtimes', { namespace, phase })
      terminal.out(formatList(output, rows, COLUMNS))
    })

  program
    .command('get-runtime')
    .description('show a class runtime with all its children')
    .argument('<runtime>', 'its name, or namespace/name')
    .addOption(namespaceOption())
    .addOption(outputOption())
    .action(async (id: string, { namespace, output }: OutputOption & NamespaceOption) => {
      const runtime = await restClient(await remote()).get<Runtime>(runtimePath(id, namespace))
      terminal.out(output === 'table' ? runtimeText(runtime) : formatValue(output, runtime))
    })

  program
    .command('apply-runtime')
    .description('create or change class runtimes from a file')
    .requiredOption('-f, --filename <path>', 'ClassRuntimes as YAML or JSON; - reads standard input')
    .option('-n, --namespace <name>', 'for those that name no namespace; without it, default')
    .option('--dry-run', 'show which children would be created, changed and deleted; save nothing')
    .option('--wait', 'wait until they are available, and show the progress')
    .addOption(timeoutOption(10))
    .addOption(outputOption())
    .addHelpText('after', APPLY_EXAMPLES)
    .action(async (options: ApplyOptions) => {
      const client = restClient(await remote())
      const answers: unknown[] = []
      for (const manifest of await readDocuments(options.filename)) {
        const { name = '', namespace = options.namespace ?? 'default' } = (manifest as Manifest).metadata ?? {}
        const path = runtimePath(`${namespace}/${name || '(no name)'}`)
        const placed = asWritten(manifest, namespace)
        if (options.dryRun === true) {
          const preview = await client.post<RuntimePreview>('/runtimes:preview', placed)
          answers.push(preview)
          if (options.output === 'table') terminal.out(dryRunText(`${namespace}/${name}`, preview))
          continue
        }
        const applied = await client.put<Runtime>(path, placed)
        const last =
          options.wait === true ? await untilAvailable(client, path, applied, options.timeout, terminal) : applied
        answers.push(last)
        if (options.output === 'table') terminal.out(`${last.id} applied, generation ${last.generation}\n`)
      }
      if (options.output !== 'table') {
        terminal.out(formatValue(options.output, answers.length === 1 ? answers[0] : answers))
      }
    })

  program
    .command('delete-runtime')
    .description('delete a class runtime with all its children, and wait until it is gone')
    .argument('<runtime>', 'its name, or namespace/name')
    .addOption(namespaceOption())
    .option('--no-wait', 'do not wait')
    .addOption(timeoutOption(5))
    .action(async (id: string, { namespace, wait, timeout }: DeleteOptions) => {
      const client = restClient(await remote())
      const path = runtimePath(id, namespace)
      await client.delete(path)
      if (wait) await untilGone(client, path, timeout, terminal)
      terminal.out(`${wait ? 'deleted' : 'deleting'} ${path.slice('/runtimes/'.length)}\n`)
    })

  program
    .command('explain-runtime')
    .description('show why a class runtime is in its state, what happens next, and who has to act')
    .argument('<runtime>', 'its name, or namespace/name')
    .addOption(namespaceOption())
    .addOption(outputOption())
    .action(async (id: string, { namespace, output }: OutputOption & NamespaceOption) => {
      const answer = await restClient(await remote()).get<Explanation>(`${runtimePath(id, namespace)}/explain`)
      terminal.out(output === 'table' ? explanationText(answer) : formatValue(output, answer))
    })

  program
    .command('timeline-runtime')
    .description('show the history of a class runtime, newest first')
    .argument('<runtime>', 'its name, or namespace/name')
    .addOption(namespaceOption())
    .addOption(limitOption())
    .addOption(outputOption())
    .action(async (id: string, { namespace, limit, output }: TimelineOptions & NamespaceOption) => {
      terminal.out(await timelineText(restClient(await remote()), runtimePath(id, namespace), limit, output))
    })
}

/** What the control plane adds to an object that was read from it. */
const ADDED = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'finalizers',
  'selfLink',
]

/** As one would have written it, so that what `kubectl get -o yaml` printed can be applied. */
function asWritten(manifest: object, namespace: string): object {
  const { status: _, metadata = {}, ...rest } = manifest as Manifest & { readonly status?: unknown }
  const own = Object.entries(metadata).filter(([name]) => !ADDED.includes(name))
  return { ...rest, metadata: { ...Object.fromEntries(own), namespace } }
}

const APPLY_EXAMPLES = `
Examples:
  caelus apply-runtime -f examples/runtimes/greeter.yaml --dry-run
  caelus apply-runtime -f examples/runtimes/greeter.yaml -n demo --wait
  kubectl get classruntime greeter -o yaml | caelus apply-runtime -f -
`

function runtimeText(runtime: Runtime): string {
  const { children = [], ...rest } = runtime
  const { id, phase, reason, message, template, mode, generation, observed_generation, created_at } = rest
  const functions = `${rest.functions_ready}/${rest.functions_total} ready`
  const facts = { id, phase, reason, message, functions, template, mode, generation, observed_generation, created_at }
  const columns = [
    { head: 'child', cell: (child: (typeof children)[number]) => child.id },
    { head: 'health', cell: (child: (typeof children)[number]) => child.health },
    { head: 'message', cell: (child: (typeof children)[number]) => child.message },
  ]
  return `${formatFacts('table', facts)}\n${formatList('table', children, columns)}`
}

function dryRunText(id: string, { change, template, problems, objects }: RuntimePreview): string {
  const chosen =
    template.before === template.after ? template.after : `${template.before ?? 'none'} -> ${template.after ?? 'none'}`
  return [
    `${id} would be ${change}, template ${chosen ?? 'none'}\n`,
    ...problems.map(({ field, message }) => `! ${field}: ${message}\n`),
    previewText({ values: [], objects }, { isCreatedTold: true }),
  ].join('')
}
