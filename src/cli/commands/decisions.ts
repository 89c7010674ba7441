import { Option, type Command } from 'commander'
import { restClient, type RestClient } from '../client.ts'
import { ExitCode } from '../exit-code.ts'
import { formatList, formatValue } from '../output.ts'
import type { CliPorts } from '../ports.ts'
import { outputOption, wholeNumber, type OutputOption } from './options.ts'

interface Decision {
  readonly id: string
  readonly at: string
  readonly controller: string
  readonly kind: string
  readonly object_id: string
  readonly decision: string
  readonly because: string
  readonly outcome: string | null
  readonly ms: number | null
  readonly repeats: number
}

interface Replay {
  readonly result: 'same' | 'different' | 'not_replayable'
  readonly because: string | null
  readonly changes: readonly { readonly field: string; readonly before?: unknown; readonly after?: unknown }[]
  readonly version: string
}

interface ListOptions extends OutputOption {
  readonly controller?: string
  readonly kind?: string
  readonly id?: string
  readonly outcome?: string
  readonly limit: number
}

const OUTCOMES = ['settled', 'checkAgain', 'retry', 'terminal', 'lost', 'handedBack']

/** Most rows of one request. */
const PAGE = 200

export function decisionCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('list-decisions')
    .description('list the decisions of all processes, newest first')
    .option('--controller <name>', 'only those of this controller, such as apps or runtimes')
    .option('--kind <kind>', 'only about this kind')
    .option('--id <id>', 'only about the object with this id')
    .addOption(new Option('--outcome <outcome>', 'only those whose run ended this way').choices(OUTCOMES))
    .option('--limit <count>', 'at most this many', wholeNumber, 50)
    .addOption(outputOption())
    .action(async ({ limit, output, ...filter }: ListOptions) => {
      const items = await newest(restClient(await remote()), filter, limit)
      const columns = [
        { head: 'id', cell: (row: Decision) => row.id },
        { head: 'at', cell: (row: Decision) => row.at },
        { head: 'controller', cell: (row: Decision) => row.controller },
        { head: 'object', cell: (row: Decision) => `${row.kind}/${row.object_id}` },
        { head: 'decision', cell: (row: Decision) => row.decision },
        { head: 'outcome', cell: (row: Decision) => row.outcome },
        { head: 'ms', cell: (row: Decision) => row.ms },
        { head: 'times', cell: (row: Decision) => 1 + row.repeats },
      ]
      terminal.out(formatList(output, items, columns))
    })

  program
    .command('replay-decision')
    .description('decide again from the recorded input of a decision, and show what differs')
    .argument('<id>', 'as list-decisions shows it')
    .addOption(outputOption())
    .addHelpText('after', '\nExit codes: 0 the same decision, 1 another decision, 2 the record cannot be replayed.')
    .action(async (id: string, { output }: OutputOption) => {
      const replay = await restClient(await remote()).post<Replay>(`/decisions/${encodeURIComponent(id)}:replay`)
      terminal.out(output === 'table' ? replayText(id, replay) : formatValue(output, replay))
      if (replay.result !== 'same') throw new ExitCode(replay.result === 'different' ? 1 : 2)
    })
}

async function newest(
  client: RestClient,
  { controller, kind, id, outcome }: Omit<ListOptions, 'limit' | 'output'>,
  limit: number,
): Promise<Decision[]> {
  const found: Decision[] = []
  for (let cursor: string | null | undefined; found.length < limit && cursor !== null;) {
    const count = String(Math.min(PAGE, limit - found.length))
    const query = { controller, kind, object_id: id, outcome, limit: count, cursor }
    const page = await client.get<{ items: Decision[]; next_cursor: string | null }>('/decisions', query)
    found.push(...page.items)
    cursor = page.next_cursor
  }
  return found
}

function replayText(id: string, { result, because, changes, version }: Replay): string {
  switch (result) {
    case 'same':
      return `version ${version} makes decision ${id} again from its recorded input\n`
    case 'not_replayable':
      return `decision ${id} is not replayable: ${because}\n`
    case 'different': {
      const columns = [
        { head: 'field', cell: (row: Replay['changes'][number]) => row.field },
        { head: 'recorded', cell: (row: Replay['changes'][number]) => valueText(row.before) },
        { head: 'now', cell: (row: Replay['changes'][number]) => valueText(row.after) },
      ]
      const head = `version ${version} decides otherwise than decision ${id}, from the same input\n`
      return head + formatList('table', changes, columns)
    }
    default:
      return result satisfies never
  }
}

const MOST_SHOWN = 60

/** JSON; `null` and absent differ. */
function valueText(value: unknown): string {
  if (value === undefined) return '(absent)'
  const text = JSON.stringify(value)
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
}
