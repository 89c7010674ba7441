// @vitest-environment happy-dom
import { act } from 'react'
import { Route } from 'wouter'
import { expect, test } from 'vitest'
import type { DecisionDetail, ReplayView } from '../../lib/api/contract.ts'
import { render } from '../../testing/render.tsx'
import { DecisionPage } from './DecisionPage.tsx'
import { DecisionsPage } from './DecisionsPage.tsx'

const decision: DecisionDetail = {
  id: '7',
  at: '2030-01-01T00:00:00.000Z',
  controller: 'apps',
  kind: 'Deployment',
  object_id: 'd1',
  decision: 'Helm installs the chart',
  because: '',
  outcome: 'settled',
  failure: null,
  ms: 12,
  attempt: 0,
  repeats: 0,
  last_at: '2030-01-01T00:00:00.000Z',
  input: { wanted: 1 },
  output: { step: { do: 'install' } },
}

const failure = {
  code: 'Quota',
  message: 'no room',
  whose_move: 'user',
  retryable: false,
  next_step: 'Raise it.',
} as const

const list = (...items: DecisionDetail[]) => ({ 'GET /decisions': { items, next_cursor: null } })

test('the filters of the list are applied by the server and kept in the address', async () => {
  using screen = await render(<DecisionsPage />, {
    answers: list(decision),
    path: '/?controller=apps&outcome=terminal',
  })
  await screen.until(() => screen.text().includes('Helm installs the chart'))
  expect(screen.requests[0]).toBe('GET /decisions?controller=apps&outcome=terminal&limit=100')
  await screen.type('input[aria-label="Object"]', 'd1')
  expect(screen.requests).toHaveLength(1)
  const leave = new FocusEvent('focusout', { bubbles: true })
  await act(async () => void screen.find('input[aria-label="Object"]').dispatchEvent(leave))
  await screen.until(() => screen.requests.length === 2)
  expect(screen.requests[1]).toBe('GET /decisions?controller=apps&object_id=d1&outcome=terminal&limit=100')
})

test('an empty list names its reason', async () => {
  using none = await render(<DecisionsPage />, { answers: list() })
  await none.until(() => none.text().includes('No decisions yet'))
  none[Symbol.dispose]()
  using filtered = await render(<DecisionsPage />, { answers: list(), path: '/?kind=Echo' })
  await filtered.until(() => filtered.text().includes('No decision matches the filters'))
})

test('what an earlier version did not record is shown as unknown', async () => {
  const old = { ...decision, outcome: null, ms: null, attempt: null }
  using screen = await render(<DecisionsPage />, { answers: list(old, { ...decision, id: '8', repeats: 4 }) })
  await screen.until(() => screen.text().includes('2 decisions'))
  expect(screen.text()).toContain('Helm installs the chart ×5')
  expect(screen.find('td[data-label="Outcome"]').textContent).toBe('—')
})

const page = (replay: ReplayView, of: DecisionDetail = decision) =>
  render(<Route path="/decisions/:id" component={DecisionPage} />, {
    answers: { 'GET /decisions/7': of, 'POST /decisions/7:replay': replay },
    path: '/decisions/7',
  })

test.each<[ReplayView['result'], Partial<ReplayView>, string[]]>([
  ['same', {}, ['Same decision', 'Version 1.2.3 decides the same']],
  ['not_replayable', { because: 'masked fields: input.seen' }, ['Not replayable', 'masked fields: input.seen']],
  [
    'different',
    { changes: [{ field: 'step.do', change: 'changed', before: 'install', after: 'upgrade' }] },
    ['Different decision', 'in 1 field', 'step.do', 'before: install', 'after: upgrade'],
  ],
])('a replay shows its result: %s', async (result, change, shown) => {
  using screen = await page({ result, because: null, changes: [], version: '1.2.3', ...change })
  await screen.until(() => screen.text().includes('Replay'))
  expect(screen.requests).toEqual(['GET /decisions/7'])
  await screen.click('button', 'Replay')
  await screen.until(() => screen.text().includes(shown[0] ?? ''))
  for (const text of shown) expect(screen.text()).toContain(text)
})

test('a decision shows how its run ended and how often it was repeated', async () => {
  const failed = { ...decision, outcome: 'terminal', because: 'no room', failure, repeats: 3 } as const
  using screen = await page({ result: 'same', because: null, changes: [], version: '1' }, failed)
  await screen.until(() => screen.text().includes('and it ended with: no room'))
  expect(screen.text()).toContain('3 times from the same input')
})
