import { Option } from 'commander'
import type { RestClient } from '../client.ts'
import { formatFacts, formatList, type Format } from '../output.ts'
import { actorOf } from '../print-failure.ts'
import { wholeNumber, type OutputOption } from './options.ts'

/* What every domain reports about an object, as text: why, what a change would do, what happened. */

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
  readonly left_alone?: readonly { readonly object: string; readonly field: string; readonly because: string }[]
  readonly not_consulted?: readonly string[]
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

export interface TimelineOptions extends OutputOption {
  readonly limit?: number
}

export const limitOption = (): Option => new Option('--limit <count>', 'at most this many').argParser(wholeNumber)

/** The history of the object behind a path of the API. */
export async function timelineText(
  client: RestClient,
  path: string,
  limit: number | undefined,
  output: Format,
): Promise<string> {
  const { items } = await client.get<{ items: Entry[] }>(`${path}/timeline`, { limit: limit?.toString() })
  const columns = [
    { head: 'at', cell: (entry: Entry) => entry.at },
    { head: 'who', cell: (entry: Entry) => entry.actor },
    { head: 'what', cell: (entry: Entry) => entry.what },
    { head: 'message', cell: (entry: Entry) => entry.message },
  ]
  return formatList(output, items, columns)
}

export const explanationText = ({ why, next, whose_move, next_step, blockers }: Explanation): string =>
  formatFacts('table', {
    why: why.join('; '),
    ...(blockers.length > 0 && { blockers: blockers.join('; ') }),
    next,
    'action required': actorOf(whose_move),
    ...(next_step !== null && { 'next step': next_step }),
  })

const SIGNS: Readonly<Record<string, string>> = { added: '+', created: '+', removed: '-', deleted: '-', changed: '~' }

/** Like a diff: added, removed and changed objects with their fields; the fields of added ones only when asked for. */
export function previewText(
  { values, objects, left_alone = [], not_consulted = [] }: Preview,
  { isCreatedTold = false } = {},
): string {
  const leftAlone = left_alone.map(({ object, field, because }) => `= ${object} ${field} stays as it is: ${because}\n`)
  // Why something is only what the chart says: the API server refuses it, or could not be asked.
  const unconfirmed = not_consulted.map((line) => `! not confirmed by the API server: ${line}\n`).join('')
  if (values.length === 0 && objects.length === 0) return ['nothing would change\n', ...leftAlone, unconfirmed].join('')
  const fieldLine = ({ field, change, before, after }: FieldChange): string => {
    const sides = [before, after].filter((side) => side !== undefined).map((side) => JSON.stringify(side))
    return `  ${SIGNS[change] ?? '~'} ${field}: ${sides.join(' -> ')}\n`
  }
  const valueLines = values.length === 0 ? [] : ['values\n', ...values.map(fieldLine)]
  const objectLines = objects.flatMap(({ object, change, fields }) => [
    `${SIGNS[change] ?? '~'} ${object}\n`,
    ...(change === 'changed' || (change === 'created' && isCreatedTold) ? fields.map(fieldLine) : []),
  ])
  return [...valueLines, ...objectLines, ...leftAlone, unconfirmed].join('')
}
