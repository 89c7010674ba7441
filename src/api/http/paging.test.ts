import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { RefusedFields } from '../../kernel/index.ts'
import { listed } from '../../store/index.ts'
import { pageView } from '../routes/parts.ts'
import { pageRequest, writeCursor } from './paging.ts'

interface Row {
  name: string
}

/** A list as a database would answer it: sorted, beginning after the key, one more than asked for. */
function answer(rows: readonly Row[], query: { limit?: number; cursor?: string }) {
  const { limit, after } = pageRequest(query, 1)
  const from = rows.filter(({ name }) => after === undefined || name > (after[0] ?? ''))
  return pageView(
    listed(from.slice(0, limit + 1), limit, (row) => [row.name]),
    (row) => row,
  )
}

test('following the cursors gives every row once, in order', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 40 }), fc.integer({ min: 1, max: 7 }), (names, limit) => {
      const rows = names.toSorted((a, b) => (a < b ? -1 : 1)).map((name) => ({ name }))
      const seen: Row[] = []
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = answer(rows, cursor === undefined ? { limit } : { limit, cursor })
        seen.push(...page.items)
        cursor = page.next_cursor
      }
      expect(seen).toEqual(rows)
    }),
  )
})

test.each([
  'nonsense',
  writeCursor(['a', 'b']),
  Buffer.from('{"a":1}').toString('base64url'),
  Buffer.from('[1]').toString('base64url'),
])('the foreign cursor %s is refused by name', (cursor) => {
  expect(() => pageRequest({ cursor }, 1)).toThrow(RefusedFields)
})
