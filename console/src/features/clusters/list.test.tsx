// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from 'vitest'
import type { ClusterView, OrganizationView } from '../../lib/api/contract.ts'
import { forgetOrganizationChoice } from '../../lib/organization-choice.ts'
import { render, type Answers, type Screen } from '../../testing/render.tsx'
import { domain, status } from '../../testing/status.ts'
import { ClustersPage } from './ClustersPage.tsx'
import { freshness, headline, nodesText, progressOf } from './status.ts'
import { acme, answers, cluster, failure, landscape, shoot } from './testing/cluster.ts'

beforeEach(forgetOrganizationChoice)

const page = (given: Answers, path = '/clusters', role = 'member'): Promise<Screen> =>
  render(<ClustersPage />, {
    path,
    answers: {
      ...answers(role),
      'GET /status': status({ domains: [domain('clusters', { enabled: true, health: 'ok' })] }),
      ...given,
    },
  })

const list = (...items: ClusterView[]) => ({ items, next_cursor: null })
const globex: OrganizationView = { ...acme, id: 'o2', name: 'Globex', role: 'viewer' }
const both = { items: [acme, globex], next_cursor: null }

test('the list shows whose a cluster is, how far Gardener is, and how old that is', async () => {
  const operation = {
    type: 'Create',
    state: 'Processing',
    progress: 42,
    description: 'Waiting until etcd is ready',
    updated_at: null,
  }
  using screen = await page({
    'GET /clusters': list(cluster({ status: 'progressing', shoot: shoot({ operation }) })),
  })
  await screen.until(() => screen.text().includes('1 cluster'))
  const row = screen.find('tbody tr').textContent
  for (const word of ['shop', 'Acme', 'eu-1', '1.34.3', 'Progressing', '42 %', 'Waiting until etcd', '1–3', 'as of']) {
    expect(row).toContain(word)
  }
  expect(screen.find('[role="progressbar"]').getAttribute('aria-valuenow')).toBe('42')
  expect(screen.text()).toContain('Gardener is simulated')
})

test('with a real Gardener nothing is said to be simulated', async () => {
  using screen = await page({ 'GET /clusters': list(cluster()), 'GET /regions': { ...landscape, mode: 'real' } })
  await screen.until(() => screen.text().includes('1 cluster') && screen.requests.includes('GET /regions'))
  expect(screen.text()).not.toContain('simulated')
})

describe('the organization switcher', () => {
  test('asks for the clusters of one organization, and says so', async () => {
    using screen = await page({ 'GET /organizations': both, 'GET /clusters': list() })
    await screen.until(() => screen.text().includes('There are no clusters'))
    expect(screen.text()).toContain('Clusters of all your organizations')
    expect(screen.find('a', 'New cluster').getAttribute('href')).toBe('/clusters/new')
    await screen.click('input[aria-label="Organization"]')
    await screen.click('[role="option"]', 'Globex')
    await screen.until(() => screen.requests.includes('GET /clusters?organization_id=o2&limit=100'))
    await screen.until(() => screen.text().includes('Viewers cannot create clusters.'))
    expect(screen.text()).toContain('Clusters of Globex')
    expect(screen.text()).not.toContain('New cluster')
  })

  test('remembers the last choice, and the address decides', async () => {
    using first = await page({ 'GET /organizations': both, 'GET /clusters': list() })
    await first.until(() => first.text().includes('There are no clusters'))
    await first.click('input[aria-label="Organization"]')
    await first.click('[role="option"]', 'Globex')
    await first.until(() => first.text().includes('Clusters of Globex'))
    first[Symbol.dispose]()
    using second = await page({ 'GET /organizations': both, 'GET /clusters': list() })
    await second.until(() => second.text().includes('Clusters of Globex'))
    second[Symbol.dispose]()
    using third = await page({ 'GET /organizations': both, 'GET /clusters': list() }, '/clusters?organization=o1')
    await third.until(() => third.text().includes('Clusters of Acme'))
  })

  const pageOf = (organization: OrganizationView, next_cursor: string | null) => ({
    items: [organization],
    next_cursor,
  })

  test('knows the organizations of every page', async () => {
    using screen = await page(
      {
        'GET /organizations': (_: RequestInit, url: URL) =>
          url.searchParams.get('cursor') === 'c2' ? pageOf(globex, null) : pageOf(acme, 'c2'),
        'GET /clusters': list(),
      },
      '/clusters?organization=o2',
    )
    await screen.until(() => screen.text().includes('Clusters of Globex'))
    expect(screen.text()).not.toContain('more organizations than are listed')
  })

  test('says that there are more than it reads', async () => {
    using screen = await page({
      'GET /organizations': (_: RequestInit, url: URL) => {
        const at = Number(url.searchParams.get('cursor') ?? '0')
        return pageOf({ ...acme, id: `o${at}`, name: `Acme ${at}` }, String(at + 1))
      },
      'GET /clusters': list(),
    })
    await screen.until(() => screen.text().includes('There are more organizations than are listed here.'))
    expect(screen.requests.filter((request) => request.startsWith('GET /organizations?'))).toHaveLength(10)
  })

  test('falls back to all when the organization is not seen any more', async () => {
    using screen = await page({ 'GET /clusters': list() }, '/clusters?organization=gone')
    await screen.until(() => screen.text().includes('Clusters of all your organizations'))
    expect(screen.requests).toContain('GET /clusters?limit=100')
  })

  test('a user without an organization is led to create one', async () => {
    let organizations: OrganizationView[] = []
    using screen = await page({
      'GET /organizations': () => ({ items: organizations, next_cursor: null }),
      'POST /organizations': () => {
        organizations = [acme]
        return acme
      },
      'GET /clusters': list(),
    })
    await screen.until(() => screen.text().includes('You belong to no organization'))
    await screen.click('button', 'New organization')
    await screen.type('[role="dialog"] input', 'Acme')
    await screen.click('[role="dialog"] button[type="submit"]')
    await screen.until(() => screen.text().includes('Clusters of Acme'))
  })
})

test('the status is asked of the API', async () => {
  using screen = await page({ 'GET /clusters': list() }, '/clusters?status=error')
  await screen.until(() => screen.text().includes('No cluster has the status error'))
  expect(screen.requests).toContain('GET /clusters?status=error&limit=100')
})

test('a list that cannot be read says why and can be read again', async () => {
  let isDown = true
  const problem = {
    title: 'The API is starting',
    status: 503,
    detail: 'the database does not answer',
    code: 'Unavailable',
    whose_move: 'operator',
    retryable: true,
    next_step: 'Check PostgreSQL.',
  }
  using screen = await page({
    'GET /clusters': () => (isDown ? Response.json(problem, { status: 503 }) : list(cluster())),
  })
  await screen.until(() => screen.text().includes('Check PostgreSQL.'))
  isDown = false
  await screen.click('button', 'Try again')
  await screen.until(() => screen.text().includes('1 cluster'))
})

describe('the headline of a cluster', () => {
  test('is its status, with what Gardener says', () => {
    expect(headline(cluster({ status: 'ready' }))).toEqual({ tone: 'good', word: 'Ready', why: '' })
    expect(headline(cluster({ status: 'error', status_failure: failure('ShootFailed') }))).toEqual({
      tone: 'bad',
      word: 'Error',
      why: 'ShootFailed happened',
    })
  })

  test('tells that a change is pending, or does not get through', () => {
    const changed = cluster({ generation: 5 })
    expect(headline(changed)).toMatchObject({ tone: 'wait', word: 'Change pending' })
    expect(headline({ ...changed, sync_failure: failure('GardenerUnreachable') })).toEqual({
      tone: 'bad',
      word: 'Sync failing',
      why: 'GardenerUnreachable happened',
    })
  })
})

test('a status that was not confirmed for a minute is marked', () => {
  const now = Date.parse('2026-11-15T10:01:30.000Z')
  const at = (status_as_of: string | null, is: ClusterView['status'] = 'ready') =>
    freshness({ status: is, status_as_of }, now)
  expect(at('2026-11-15T10:01:00.000Z').isOld).toBe(false)
  expect(at('2026-11-15T10:00:00.000Z')).toEqual({
    isOld: true,
    why: 'The watch on Gardener last confirmed this 1m 30s ago. The cluster may have changed since.',
  })
  expect(at('2026-11-15T10:00:00.000Z', 'deleted').isOld).toBe(false)
  expect([at(null, 'pending').isOld, at(null).isOld]).toEqual([false, true])
})

test('progress is told only while an operation is under way', () => {
  const operation = { type: 'Reconcile', state: 'Error', progress: 61, description: '', updated_at: null }
  expect(progressOf(cluster({ status: 'error', shoot: shoot({ operation }) }))).toEqual({
    percent: 61,
    task: 'Reconcile',
    isFailing: true,
  })
  expect(progressOf(cluster({ status: 'progressing' }))).toBeUndefined()
  expect(progressOf(cluster({ status: 'pending', shoot: null }))).toBeUndefined()
})

test('nodes are the sums of the pools', () => {
  expect(
    nodesText([
      { autoscale_min: 1, autoscale_max: 3 },
      { autoscale_min: 2, autoscale_max: 2 },
    ]),
  ).toBe('3–5')
  expect(nodesText([{ autoscale_min: 2, autoscale_max: 2 }])).toBe('2')
})
