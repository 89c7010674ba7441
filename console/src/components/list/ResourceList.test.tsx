// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { render } from '../../testing/render.tsx'
import { countText, ResourceList } from './ResourceList.tsx'
import type { ListColumn } from './ResourceTable.tsx'

interface Fruit {
  id: string
  name: string
  weight: number
}
const columns: readonly ListColumn<Fruit>[] = [
  { id: 'name', label: 'Name', value: (row) => row.name },
  { id: 'weight', label: 'Weight', value: (row) => row.weight },
]
const fruits: Fruit[] = [
  { id: '1', name: 'pear', weight: 9 },
  { id: '2', name: 'apple', weight: 120 },
]
const page = (items: Fruit[], next_cursor: string | null = null) => ({ items, next_cursor })
const list = (onOpen?: (row: Fruit) => void) => (
  <ResourceList<Fruit>
    noun="fruits"
    topic="fruits"
    path="/fruits"
    columns={columns}
    rowKey={(row) => row.id}
    empty={<p>No fruit was picked</p>}
    {...(onOpen && { onOpen })}
  />
)
const names = (): (string | null)[] =>
  [...document.querySelectorAll('tbody tr td:first-child')].map((cell) => cell.textContent)

test('shows the rows in the order of the API, sorts by a header, and filters', async () => {
  using screen = await render(list(), { answers: { 'GET /fruits': page(fruits) } })
  await screen.until(() => names().length === 2)
  expect(names()).toEqual(['pear', 'apple'])

  await screen.click('th button', 'Weight')
  await screen.click('th button', 'Weight')
  expect(names()).toEqual(['apple', 'pear'])
  expect(screen.find('th', 'Weight').getAttribute('aria-sort')).toBe('descending')

  await screen.type('input[aria-label="Filter fruits"]', 'pea')
  expect(names()).toEqual(['pear'])
  expect(screen.text()).toContain('1 of 2 fruits')
})

test('tells an empty list from a filter that matches nothing', async () => {
  using empty = await render(list(), { answers: { 'GET /fruits': page([]) } })
  await empty.until(() => empty.text().includes('No fruit was picked'))
  empty[Symbol.dispose]()

  using filtered = await render(list(), { answers: { 'GET /fruits': page(fruits) }, path: '/?q=plum' })
  await filtered.until(() => filtered.text().includes('No fruits match “plum”'))
  await filtered.click('button', 'Clear the filter')
  expect(names()).toHaveLength(2)
})

test('shows the problem with its code, whose move and request, and tries again', async () => {
  const problem = {
    title: 'Database gone',
    status: 503,
    detail: 'no answer',
    code: 'DatabaseDown',
    whose_move: 'operator',
    retryable: true,
    next_step: 'Start it.',
    request_id: 'req-5',
    type: '',
  }
  let broken = true
  using screen = await render(list(), {
    answers: { 'GET /fruits': () => (broken ? Response.json(problem, { status: 503 }) : page(fruits)) },
  })
  await screen.until(() => screen.text().includes('DatabaseDown'))
  for (const part of ['Database gone', 'no answer', 'Action required: operator', 'Start it.', 'req-5'])
    expect(screen.text()).toContain(part)

  broken = false
  await screen.click('button', 'Try again')
  await screen.until(() => names().length === 2)
})

test('keeps showing what it knows when reading again fails', async () => {
  let broken = false
  using screen = await render(list(), {
    answers: { 'GET /fruits': () => (broken ? new Response('', { status: 502 }) : page(fruits)) },
  })
  await screen.until(() => names().length === 2)
  broken = true
  void screen.queries.invalidateQueries({ queryKey: ['fruits'] })
  await screen.until(() => screen.text().includes('UnexpectedAnswer'))
  expect(names()).toHaveLength(2)
})

test('a change of its topic reads it again', async () => {
  let items = fruits
  using screen = await render(list(), { answers: { 'GET /fruits': () => page(items) } })
  await screen.until(() => names().length === 2)
  items = [...fruits, { id: '3', name: 'quince', weight: 300 }]
  void screen.queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'fruits' })
  await screen.until(() => names().includes('quince'))
})

test('reads further pages on demand', async () => {
  const second = [{ id: '3', name: 'quince', weight: 300 }]
  let asked = 0
  using screen = await render(list(), {
    answers: { 'GET /fruits': () => (asked++ === 0 ? page(fruits, 'c2') : page(second)) },
  })
  await screen.until(() => names().length === 2)
  await screen.click('button', 'Show more')
  await screen.until(() => names().length === 3)
  expect(screen.requests).toEqual(['GET /fruits?limit=100', 'GET /fruits?limit=100&cursor=c2'])
})

test('opens a row', async () => {
  const opened: string[] = []
  using screen = await render(
    list((row) => opened.push(row.name)),
    { answers: { 'GET /fruits': page(fruits) } },
  )
  await screen.until(() => names().length === 2)
  await screen.click('tbody button', 'apple')
  expect(opened).toEqual(['apple'])
})

test('counts honestly while pages are missing', () => {
  expect(countText(100, 100, true, 'fruits')).toBe('100+ fruits')
  expect(countText(3, 12, false, 'fruits')).toBe('3 of 12 fruits')
})
