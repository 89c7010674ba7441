export const FORMATS = ['table', 'json', 'yaml'] as const
export type Format = (typeof FORMATS)[number]

export interface Column<T> {
  readonly head: string
  readonly cell: (row: T) => string | number | boolean | null | undefined
}

/** Rows for people; for programs the whole of what the server said, under the names of the API. */
export function formatList<T>(format: Format, rows: readonly T[], columns: readonly Column<T>[]): string {
  return format === 'table' ? table(rows, columns) : formatValue(format, rows)
}

let toYaml: ((value: unknown) => string) | undefined

/** Loads the YAML writer, which takes longer to load than most commands take to run. Call it before formatting YAML. */
export async function prepareFormat(format: unknown): Promise<void> {
  if (format === 'yaml') toYaml = (await import('yaml')).stringify
}

export function formatValue(format: 'json' | 'yaml', value: unknown): string {
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`
  if (toYaml === undefined) throw new Error('failed to write YAML: prepareFormat was not called')
  return toYaml(value)
}

/** One thing as lines of name and value. */
export function formatFacts(format: Format, facts: object): string {
  if (format !== 'table') return formatValue(format, facts)
  const entries = Object.entries(facts)
  const width = Math.max(0, ...entries.map(([name]) => name.length))
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}\n`).join('')
}

function table<T>(rows: readonly T[], columns: readonly Column<T>[]): string {
  const lines = [
    columns.map(({ head }) => head.toUpperCase()),
    ...rows.map((row) => columns.map(({ cell }) => cellText(cell(row)))),
  ]
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)))
  return lines
    .map(
      (line) =>
        `${line
          .map((text, i) => text.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

/** A cell is one line, and what cannot be printed does not reach the terminal. */
const cellText = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '-'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.replace(/\p{Cc}+/gu, ' ')
}
