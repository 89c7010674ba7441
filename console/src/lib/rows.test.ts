import { expect, test } from 'vitest'
import { filterRows, nextSort, sortFrom, sortRows, sortText } from './rows.ts'
import type { Column } from './rows.ts'

interface Row {
  name: string
  size?: number
}
const columns: Column<Row>[] = [
  { id: 'name', label: 'Name', value: (row) => row.name },
  { id: 'size', label: 'Size', value: (row) => row.size },
]
const rows: Row[] = [{ name: 'node-10', size: 3 }, { name: 'Node-2' }, { name: 'alpha', size: 20 }]
const names = (list: readonly Row[]): string[] => list.map((row) => row.name)

test('sorts numbers inside words as numbers, and ignores case', () => {
  expect(names(sortRows(rows, columns, { column: 'name', descending: false }))).toEqual(['alpha', 'Node-2', 'node-10'])
})

test('keeps rows without a value last in both directions', () => {
  expect(names(sortRows(rows, columns, { column: 'size', descending: false }))).toEqual(['node-10', 'alpha', 'Node-2'])
  expect(names(sortRows(rows, columns, { column: 'size', descending: true }))).toEqual(['alpha', 'node-10', 'Node-2'])
})

test('leaves the order of the API for an unknown column', () => {
  expect(sortRows(rows, columns, { column: 'nope', descending: false })).toBe(rows)
})

test('finds rows in which every word occurs somewhere', () => {
  expect(names(filterRows(rows, columns, ' NODE 3 '))).toEqual(['node-10'])
  expect(filterRows(rows, columns, '  ')).toBe(rows)
})

test('a header goes ascending, descending, unsorted', () => {
  const first = nextSort(undefined, 'name')
  const second = nextSort(first, 'name')
  expect([first?.descending, second?.descending, nextSort(second, 'name')]).toEqual([false, true, undefined])
})

test('the sort survives the address', () => {
  for (const sort of [undefined, { column: 'name', descending: true }, { column: 'name', descending: false }])
    expect(sortFrom(sortText(sort))).toEqual(sort)
})
