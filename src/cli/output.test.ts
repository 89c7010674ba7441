import { expect, test } from 'vitest'
import { formatFacts, formatList, prepareFormat } from './output.ts'

const rows = [
  { name: 'ci', role: 'member', last_used_at: null },
  { name: 'laptop of ada', role: 'admin', last_used_at: '2026-11-15T12:00:00Z' },
]
const columns = [
  { head: 'name', cell: (row: (typeof rows)[0]) => row.name },
  { head: 'last used', cell: (row: (typeof rows)[0]) => row.last_used_at },
]

test('a table is aligned, and nothing is a dash', () => {
  expect(formatList('table', rows, columns)).toBe(
    ['NAME           LAST USED', 'ci             -', 'laptop of ada  2026-11-15T12:00:00Z', ''].join('\n'),
  )
})

test('programs get everything, not only the columns', async () => {
  expect(JSON.parse(formatList('json', rows, columns))).toEqual(rows)
  await prepareFormat('yaml')
  expect(formatList('yaml', rows, columns)).toContain('role: member')
})

test('control characters of a name do not reach the terminal', () => {
  expect(formatFacts('table', { name: 'a\u001B[2Jb\nc' })).toBe('name  a [2Jb c\n')
})
