import { notOurs, type PageOptions } from '../../store/index.ts'
import type { PageQuery } from '../contract/index.ts'

const DEFAULT_LIMIT = 50

/**
 * Reads `limit` and `cursor`. A cursor is the sort key of the last row seen: pages neither repeat nor skip rows when
 * others are added or deleted in between. `parts` is how many columns that key has; what they hold is checked by the list
 * itself.
 */
export function pageRequest({ limit = DEFAULT_LIMIT, cursor }: PageQuery, parts: number): PageOptions {
  return { limit, after: cursor === undefined ? undefined : readCursor(cursor, parts) }
}

export const writeCursor = (sortKey: readonly string[]): string =>
  Buffer.from(JSON.stringify(sortKey)).toString('base64url')

function readCursor(cursor: string, parts: number): string[] {
  const key = jsonIn(Buffer.from(cursor, 'base64url').toString())
  if (!Array.isArray(key) || key.length !== parts || !key.every((part) => typeof part === 'string')) throw notOurs()
  return key
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
