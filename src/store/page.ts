import { RefusedFields } from '../kernel/index.ts'
import { isId, isMark } from './columns.ts'

/** One page of a list. A query reads `limit + 1` rows to know whether there is a next page. */
export interface PageOptions {
  readonly limit: number
  /** `next` of the page before. */
  readonly after?: readonly string[] | undefined
}

export interface Listed<T> {
  readonly items: readonly T[]
  /** The sort key of the last item; `null`: this was the last page. */
  readonly next: readonly string[] | null
}

export function listed<T>(rows: readonly T[], limit: number, sortKey: (row: T) => readonly string[]): Listed<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? sortKey(last) : null }
}

/** The cursor of a list sorted by time and id. Refuses a cursor of another list. */
export function timeMark(after: readonly string[] | undefined): readonly [time: string | null, id: string | null] {
  if (after === undefined) return [null, null]
  const [time = '', id = ''] = after
  if (!isMark(time) || !isId(id)) throw notOurs()
  return [time, id]
}

export const notOurs = (): RefusedFields =>
  new RefusedFields([{ field: 'cursor', message: 'is not a next_cursor of this list' }])
