// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import type { OrganizationLimitsView } from '../../../lib/api/contract.ts'
import { render, type Answers, type Screen } from '../../../testing/render.tsx'
import { domain, status } from '../../../testing/status.ts'
import { OrganizationsPage } from '../../identity/OrganizationsPage.tsx'
import { answers, bodyOf, gardenerAway } from '../testing/cluster.ts'
import { choices, draftOfLimits, limitsOf } from './limits.ts'

const limits: OrganizationLimitsView = {
  max_clusters: 3,
  max_nodes: null,
  regions: ['eu-1'],
  machine_types: null,
  clusters: 2,
  nodes: 9,
  generation: 7,
}

const page = (role: string, given: Answers = {}, path = '/organizations/o1/limits'): Promise<Screen> =>
  render(<OrganizationsPage />, {
    path,
    answers: {
      ...answers(role),
      'GET /status': status({ domains: [domain('clusters', { enabled: true, health: 'ok' })] }),
      'GET /organizations/o1/limits': limits,
      'GET /organizations/o1/members': { items: [], next_cursor: null },
      ...given,
    },
  })

test('members see what is used and allowed, and change nothing', async () => {
  using screen = await page('member')
  await screen.until(() => screen.text().includes('2 of 3 clusters, 1 left'))
  expect(screen.text()).toContain('9 nodes, no limit')
  expect(screen.text()).toContain('Regionseu-1')
  expect(screen.text()).toContain('Machine typesall that Gardener offers')
  expect(screen.root.querySelector('form')).toBeNull()
})

test('admins set the limits on the generation that they saw', async () => {
  let sent: unknown
  let ifMatch: string | null = null
  using screen = await page('admin', {
    'PUT /organizations/o1/limits': (init: RequestInit) => {
      sent = bodyOf(init)
      ifMatch = new Headers(init.headers).get('if-match')
      return { ...limits, max_clusters: 5 }
    },
  })
  await screen.until(() => screen.root.querySelector('form') !== null)
  await screen.type('form input[value="3"]', '5')
  await screen.click('button', 'Save limits')
  await screen.until(() => sent !== undefined)
  expect(sent).toEqual({ max_clusters: 5, max_nodes: null, regions: ['eu-1'], machine_types: null })
  expect(ifMatch).toBe('"7"')
})

test('while Gardener is away, admins are told so and keep what is allowed', async () => {
  using screen = await page('admin', { 'GET /regions': gardenerAway })
  await screen.until(() => screen.text().includes('Gardener does not answer'))
  const options = () => [...document.querySelectorAll('[role="option"]')].map(({ textContent }) => textContent)
  expect(options()).toEqual(['eu-1'])
  await screen.click('[role="option"]', 'eu-1')
  expect(options()).toEqual(['eu-1'])
})

test('where no clusters are controlled, organizations have no limits', async () => {
  using screen = await page('admin', { 'GET /status': status() })
  await screen.until(() => screen.text().includes('There are no members'))
  await screen.until(() => screen.requests.includes('GET /status'))
  expect(screen.text()).not.toContain('Limits')
  expect(screen.requests).not.toContain('GET /organizations/o1/limits')
})

test('what is empty is no limit, and what is not offered any more is kept', () => {
  expect(limitsOf(draftOfLimits({ ...limits, max_nodes: 0 }))).toEqual({
    max_clusters: 3,
    max_nodes: 0,
    regions: ['eu-1'],
    machine_types: null,
  })
  expect(choices([{ name: 'a' }], ['a', 'b'], ({ name }) => name)).toEqual([
    { value: 'a', label: 'a' },
    { value: 'b', label: 'b, not offered' },
  ])
  expect(choices(undefined, ['b', 'b'], String)).toEqual([{ value: 'b', label: 'b' }])
})
