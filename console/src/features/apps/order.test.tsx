// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import type { TemplateFormView } from '../../lib/api/contract.ts'
import { render, type Answers } from '../../testing/render.tsx'
import { OrderPage } from './OrderPage.tsx'

const FORM: TemplateFormView = { enabled: false, schema: {}, ui_hints: [], defaults: {}, hidden: [] }
const cluster = { id: 'c1', name: 'shop', organization: 'Acme', deleting_since: null }

const orderPage = (clusters: readonly object[], more: Answers = {}) =>
  render(<OrderPage productId="p1" userId="u1" />, {
    path: '/apps/catalogue/p1/order',
    answers: {
      'GET /products/p1': { id: 'p1', name: 'Hello', template_id: 't1' },
      'GET /templates/t1/form': FORM,
      'GET /clusters': { items: clusters, next_cursor: null },
      ...more,
    },
  })

test('whoever has no cluster is not asked where an app is to run', async () => {
  using screen = await orderPage([{ ...cluster, deleting_since: '2026-01-01T00:00:00Z' }])
  await screen.until(() => screen.text().includes('Domain') && screen.requests.includes('GET /clusters?limit=100'))
  expect(screen.text()).not.toContain('On the platform')
})

test('an app is ordered into the cluster that was chosen', async () => {
  const sent: unknown[] = []
  const preview = ({ body }: RequestInit): object => {
    sent.push(JSON.parse(body as string))
    return { values: [], objects: [], left_alone: [], not_consulted: [] }
  }
  using screen = await orderPage([cluster], { 'POST /users/u1/deployments:preview': preview })
  await screen.until(() => screen.text().includes('Where'))
  await screen.click('input[value="On the platform"]')
  await screen.click('[role="option"]', 'shop of Acme')
  await screen.type('input[placeholder="shop.example.com"]', 'shop.example.org')
  await screen.click('button', 'Preview')
  await screen.until(() => screen.text().includes('What would change'))
  expect(sent).toEqual([{ template_id: 't1', cluster_id: 'c1', domainname: 'shop.example.org', user_values: {} }])
})
