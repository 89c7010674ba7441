import type { Page, PageQuery } from '../contract/index.ts'
import { RefusedFields } from '../../kernel/index.ts'

const DEFAULT_LIMIT = 50

export interface PageRequest {
  readonly limit: number
  /** The sort key of the last row that was seen; absent on the first page. */
  readonly after: readonly string[] | undefined
}

/**
 * Reads `limit` and `cursor`. A cursor is the sort key of the last row seen: pages neither repeat nor skip rows when
 * others are added or deleted in between. `parts` is how many columns that key has.
 */
export function pageRequest({ limit = DEFAULT_LIMIT, cursor }: PageQuery, parts: number): PageRequest {
  return { limit, after: cursor === undefined ? undefined : readCursor(cursor, parts) }
}

/** `rows` is one more than the limit if there is a next page. */
export function pageFrom<T>(
  rows: readonly T[],
  { limit }: PageRequest,
  sortKey: (row: T) => readonly string[],
): Page<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next_cursor: rows.length > limit && last !== undefined ? writeCursor(sortKey(last)) : null }
}

export const writeCursor = (sortKey: readonly string[]): string =>
  Buffer.from(JSON.stringify(sortKey)).toString('base64url')

function readCursor(cursor: string, parts: number): string[] {
  const refuse = (): never => {
    throw new RefusedFields([{ field: 'cursor', message: 'is not a next_cursor of this list' }])
  }
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (!Array.isArray(key) || key.length !== parts || !key.every((part) => typeof part === 'string')) return refuse()
    return key
  } catch {
    return refuse()
  }
}
