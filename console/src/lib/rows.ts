/** A column is a description: what to compare and search, and optionally how to draw it. */
export interface Column<T> {
  readonly id: string
  readonly label: string
  readonly value: (row: T) => string | number | boolean | null | undefined
}

export interface Sort {
  readonly column: string
  readonly descending: boolean
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Empty values come last in either direction; equal rows keep the order the API gave them. */
export function sortRows<T>(rows: readonly T[], columns: readonly Column<T>[], sort: Sort | undefined): readonly T[] {
  const column = columns.find(({ id }) => id === sort?.column)
  if (column === undefined || sort === undefined) return rows
  const direction = sort.descending ? -1 : 1
  return rows.toSorted((a, b) => {
    const [left, right] = [column.value(a), column.value(b)]
    if (isEmpty(left) || isEmpty(right)) return Number(isEmpty(left)) - Number(isEmpty(right))
    return direction * compare(left, right)
  })
}

const isEmpty = (value: unknown): value is null | undefined | '' =>
  value === null || value === undefined || value === ''

const compare = (a: string | number | boolean, b: string | number | boolean): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b))

/** Every word must be found in some column. */
export function filterRows<T>(rows: readonly T[], columns: readonly Column<T>[], text: string): readonly T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter((row) => {
    const haystack = columns.map((column) => String(column.value(row) ?? '').toLowerCase()).join('\n')
    return words.every((word) => haystack.includes(word))
  })
}

/** First ascending, then descending, then as the API ordered them. */
export function nextSort(current: Sort | undefined, column: string): Sort | undefined {
  if (current?.column !== column) return { column, descending: false }
  return current.descending ? undefined : { column, descending: true }
}

/** `name` and `-name`, as they stand in the address. */
export const sortText = (sort: Sort | undefined): string => (sort ? `${sort.descending ? '-' : ''}${sort.column}` : '')

export function sortFrom(text: string | null): Sort | undefined {
  if (text === null || text === '' || text === '-') return undefined
  return text.startsWith('-') ? { column: text.slice(1), descending: true } : { column: text, descending: false }
}
