// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import type { RuntimeSummary } from '../../lib/api/contract.ts'
import { render } from '../../testing/render.tsx'
import type { Answers, Screen } from '../../testing/render.tsx'
import { domain, status } from '../../testing/status.ts'
import { RuntimesPage } from './RuntimesPage.tsx'

const SINCE = '2026-11-15T10:00:00.000Z'

const runtime: RuntimeSummary = {
  id: 'shop/cart',
  namespace: 'shop',
  name: 'cart',
  uid: 'u',
  generation: 1,
  observed_generation: 1,
  phase: 'degraded',
  phase_since: SINCE,
  reason: 'CrashLoop',
  message: 'container function of pod cart-1 has restarted 7 times',
  package_class_key: 'shop.cart',
  template: 'k8s_deployment',
  functions_ready: 1,
  functions_total: 2,
  mode: 'observe',
  created_at: SINCE,
  updated_at: SINCE,
  deleting_since: null,
}

const page = (answers: Answers, path = '/runtimes', role = 'admin'): Promise<Screen> =>
  render(<RuntimesPage />, {
    path,
    answers: {
      'GET /me': { id: 'u1', email: 'a@example.test', role },
      'GET /status': status({ domains: [domain('runtimes', { enabled: true, health: 'ok' })] }),
      ...answers,
    },
  })

test('the list tells phase, functions, template, class and message', async () => {
  using screen = await page({ 'GET /runtimes': { items: [runtime], next_cursor: null } })
  await screen.until(() => screen.text().includes('1 runtime'))
  const row = screen.find('tbody tr').textContent
  for (const word of ['cart', 'shop.cart', 'Degraded', '1/2', 'k8s_deployment', 'restarted 7 times']) {
    expect(row).toContain(word)
  }
})

test('the filters in the address are asked of the API', async () => {
  using screen = await page(
    { 'GET /runtimes': { items: [], next_cursor: null } },
    '/runtimes?namespace=shop&phase=degraded',
  )
  await screen.until(() => screen.text().includes('No runtime in shop is degraded'))
  expect(screen.requests).toContain('GET /runtimes?namespace=shop&phase=degraded&limit=100')
})

test('where there are none, an admin is led on and a member is not', async () => {
  const answers = { 'GET /runtimes': { items: [], next_cursor: null } }
  using admin = await page(answers)
  await admin.until(() => admin.text().includes('There are no runtimes'))
  expect(admin.find('a', 'New runtime').getAttribute('href')).toBe('/runtimes/new')
  admin[Symbol.dispose]()
  using member = await page(answers, '/runtimes', 'member')
  await member.until(() => member.text().includes('There are no runtimes'))
  expect(member.text()).toContain('Only admins change runtimes.')
  expect(member.text()).not.toContain('New runtime')
})

test('an unreachable control plane is shown with the next step', async () => {
  const problem = {
    type: 'urn:caelus:failure:RuntimesUnseen',
    title: 'The runtimes of the control plane were not seen yet',
    status: 503,
    detail: 'the control plane does not answer',
    code: 'RuntimesUnseen',
    whose_move: 'operator',
    retryable: true,
    next_step: 'Check that the API server is running.',
    request_id: 'r',
  }
  using screen = await page({ 'GET /runtimes': () => Response.json(problem, { status: 503 }) })
  await screen.until(() => screen.text().includes('Check that the API server is running.'))
  expect(screen.text()).toContain('Try again')
})

test('a member is not shown a form that would be refused', async () => {
  using screen = await page({}, '/runtimes/new', 'member')
  await screen.until(() => screen.text().includes('Only admins change runtimes'))
  expect(screen.root.querySelector('form')).toBeNull()
})

test('what the controller could not run is told at its field, and cannot be applied', async () => {
  const message = 'unknown template "k8s"'
  using screen = await page(
    {
      'POST /runtimes:preview': {
        change: 'created',
        template: { before: null, after: null },
        objects: [],
        problems: [{ field: 'spec.selected_template', message }],
      },
    },
    '/runtimes/new',
  )
  await screen.until(() => screen.root.querySelector('form') !== null)
  await screen.type('input[data-field="/name"]', 'cart')
  await screen.click('button[type="submit"]', 'Preview')
  await screen.until(() => screen.text().includes('The controller could not run it as it is written'))
  expect(screen.find('input[data-field="/selected_template"]').getAttribute('aria-invalid')).toBe('true')
  expect([...screen.root.querySelectorAll('button')].map(({ textContent }) => textContent)).not.toContain('Create')
})
