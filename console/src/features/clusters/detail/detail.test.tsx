// @vitest-environment happy-dom
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ClusterEventView, ClusterView } from '../../../lib/api/contract.ts'
import { render, type Answers, type Screen } from '../../../testing/render.tsx'
import { ClustersPage } from '../ClustersPage.tsx'
import { acme, answers, bodyOf, cluster, failure, shoot } from '../testing/cluster.ts'
import { lineOfEvent } from './events.ts'
import { failureTitle, mayRetry } from './failures.ts'
import { changeText, dueText } from './SyncState.tsx'

const PATH = '/organizations/o1/clusters/c1'

const explanation = {
  why: ['it is ready'],
  next: 'nothing until it changes',
  at: null,
  whose_move: 'nobody',
  next_step: null,
  blockers: [],
}

const page = (view: ClusterView, given: Answers = {}, section = '', role = 'member'): Promise<Screen> =>
  render(<ClustersPage />, {
    path: `/clusters/o1/c1${section}`,
    answers: { ...answers(role), [`GET ${PATH}`]: view, [`GET ${PATH}/explain`]: explanation, ...given },
  })

const operation = (state: string, progress = 40) => ({
  type: 'Reconcile',
  state,
  progress,
  description: 'Deploying kube-apiserver',
  updated_at: null,
})

const buttonsOn = ({ root }: Screen): readonly (string | null)[] =>
  [...root.querySelectorAll('button')].map(({ textContent }) => textContent)

test('the page tells progress, explanation, conditions, sync and Shoot', async () => {
  using screen = await page(
    cluster({
      status: 'progressing',
      generation: 5,
      sync_attempts: 2,
      next_sync_at: new Date(Date.now() + 3 * 3_600_000 + 30_000).toISOString(),
      shoot: shoot({
        operation: operation('Processing'),
        conditions: [
          {
            type: 'APIServerAvailable',
            status: 'True',
            reason: 'HealthzRequestSucceeded',
            message: 'fine',
            since: null,
          },
          { type: 'ControlPlaneHealthy', status: 'False', reason: '', message: 'etcd is down', since: null },
        ],
      }),
    }),
  )
  await screen.until(() => screen.text().includes('It is ready.'))
  for (const text of [
    'No action required.',
    'cluster of Acme',
    '40 %',
    'Deploying kube-apiserver',
    'Nothing until it changes.',
    'True, HealthzRequestSucceeded',
    'etcd is down',
    '5; Gardener has 4',
    'in 3h',
    'garden-p1',
    'Reconcile, Processing',
    '1–3 in 1 node pool',
    'Gardener is simulated',
  ]) {
    expect(screen.text()).toContain(text)
  }
  expect(screen.find('h1').textContent).toBe('shop')
})

test('after Gardener gave up, a retry is one click away', async () => {
  const sent: unknown[] = []
  const broken = cluster({
    status: 'error',
    status_failure: failure('InfrastructureQuota', { whose_move: 'operator', next_step: 'Have the quota raised.' }),
    shoot: shoot({
      operation: operation('Failed'),
      errors: [{ description: 'quota exceeded for cpus', codes: ['ERR_INFRA_QUOTA_EXCEEDED'] }],
    }),
  })
  using screen = await page(broken, {
    [`POST ${PATH}:operate`]: (init: RequestInit) => {
      sent.push(bodyOf(init))
      return broken
    },
  })
  await screen.until(() => screen.text().includes('Gardener gave up'))
  for (const text of [
    'Action required: operator.',
    'Have the quota raised.',
    'InfrastructureQuota',
    'ERR_INFRA_QUOTA_EXCEEDED',
  ]) {
    expect(screen.text()).toContain(text)
  }
  await screen.click('button', 'Retry')
  await screen.until(() => sent.length === 1)
  expect(sent).toEqual([{ operation: 'retry' }])
})

test('an error that Gardener retries offers no retry', async () => {
  using screen = await page(
    cluster({
      status: 'error',
      status_failure: failure('ShootErroneous'),
      shoot: shoot({ operation: operation('Error') }),
    }),
  )
  await screen.until(() => screen.text().includes('Gardener met an error and retries'))
  expect(screen.text()).not.toContain('Retry')
})

test('a sync that fails is shown, and can be asked for now', async () => {
  using screen = await page(
    cluster({ status: 'pending', shoot: null, synced_generation: 0, sync_failure: failure('GardenerUnreachable') }),
    { [`POST ${PATH}:sync`]: () => Response.json(cluster(), { status: 202 }) },
  )
  await screen.until(() => screen.text().includes('The last sync failed'))
  expect(screen.text()).toContain('There is no Shoot yet.')
  expect(screen.text()).toContain('4; Gardener has none')
  await screen.click('[role="alert"] button', 'Sync now')
  await screen.until(() => screen.requests.includes(`POST ${PATH}:sync`))
})

test('a viewer reads, and changes nothing', async () => {
  using screen = await page(cluster(), { 'GET /organizations/o1': { ...acme, role: 'viewer' } })
  await screen.until(() => screen.text().includes('It is ready.'))
  await screen.until(() => screen.requests.includes('GET /organizations/o1'))
  expect(buttonsOn(screen)).toEqual([])
})

test('a cluster is deleted after its name was typed, on the generation that was seen', async () => {
  let ifMatch: string | null = null
  let view = cluster()
  using screen = await page(view, {
    [`GET ${PATH}`]: () => view,
    [`DELETE ${PATH}`]: ({ headers }: RequestInit) => {
      ifMatch = new Headers(headers).get('if-match')
      view = cluster({ status: 'deleting', deleting_since: '2026-11-15T10:00:00.000Z' })
      return Response.json(view, { status: 202 })
    },
  })
  await screen.until(() => screen.text().includes('It is ready.'))
  await screen.click('button', 'Delete')
  await screen.type('[role="dialog"] input:not([type="checkbox"])', 'shop')
  await screen.click('[role="dialog"] button[type="submit"]', 'Delete cluster')
  await screen.until(() => screen.text().includes('Deletion requested'))
  expect(ifMatch).toBe('"4"')
  expect(buttonsOn(screen)).toEqual(['Kubeconfig', 'Sync now', 'Reconcile'])
})

test('a deletion that failed is retried and synced, and its cluster can be entered', async () => {
  const sent: unknown[] = []
  const stuck = cluster({
    status: 'error',
    deleting_since: '2026-11-15T10:00:00.000Z',
    status_failure: failure('ClusterResourcesLeft'),
    sync_failure: failure('GardenerUnreachable'),
    shoot: shoot({ operation: { ...operation('Failed'), type: 'Delete' } }),
  })
  using screen = await page(stuck, {
    [`POST ${PATH}:operate`]: (init: RequestInit) => {
      sent.push(bodyOf(init))
      return stuck
    },
  })
  await screen.until(() => screen.text().includes('ClusterResourcesLeft happened'))
  await screen.until(() => buttonsOn(screen).length > 0)
  expect(buttonsOn(screen)).toEqual(['Kubeconfig', 'Retry', 'Sync now', 'Sync now', 'Reconcile'])
  await screen.click('button', 'Retry')
  await screen.until(() => sent.length === 1)
  expect(sent).toEqual([{ operation: 'retry' }])
})

test.each([
  ['deleting', 'node-pools'],
  ['deleting', 'maintenance'],
  ['deleted', ''],
] as const)('of a cluster that is %s, the section "%s" changes nothing', async (status, section) => {
  const view = cluster({ status, deleting_since: '2026-11-15T10:00:00.000Z' })
  using screen = await page(view, { [`GET ${PATH}/versions`]: { current: '1.34.3', upgrades: [] } }, `/${section}`)
  await screen.until(() => screen.text().includes('cluster of Acme'))
  await screen.until(() => screen.queries.getQueryState(['organizations', '/organizations/o1'])?.status === 'success')
  expect(buttonsOn(screen)).toEqual(status === 'deleted' ? [] : ['Kubeconfig'])
})

const appsAnswer = (names: readonly string[], next: string | null = null): Answers => ({
  [`GET ${PATH}/apps`]: { items: names.map((name) => ({ name })), next_cursor: next },
})

const NO_APPS = 'No app was ordered into it.'

test.each<[string, Answers, string]>([
  ['one app', appsAnswer(['hello']), 'the cluster is not deleted: there is hello.'],
  ['two apps', appsAnswer(['hello', 'shop']), 'the cluster is not deleted: there are hello, shop.'],
  [
    'twelve apps',
    appsAnswer(Array.from({ length: 12 }, (_, n) => `a${n}`)),
    'there are a0, a1, a2, a3, a4, a5, a6, a7, a8, a9 and 2 more.',
  ],
  ['apps of several pages', appsAnswer(['hello'], 'c2'), 'there are hello and more.'],
  ['apps that cannot be read', {}, 'a cluster with apps that were ordered into it is not deleted.'],
  ['no apps', appsAnswer([]), NO_APPS],
])('the dialog that deletes a cluster with %s says so', async (_, given, text) => {
  using screen = await page(cluster(), given)
  await screen.until(() => screen.text().includes('It is ready.'))
  await screen.click('button', 'Delete')
  const hasChoice = () => document.querySelector('[role="dialog"] input[type="checkbox"]') !== null
  await screen.until(() => screen.text().includes(text))
  expect(hasChoice()).toBe(text !== NO_APPS)
})

test('the apps in a cluster are deleted first when that is asked for', async () => {
  const asked: string[] = []
  using screen = await page(cluster(), {
    ...appsAnswer(['hello']),
    [`DELETE ${PATH}`]: (_: RequestInit, url: URL) => {
      asked.push(url.search)
      return Response.json(cluster({ status: 'deleting' }), { status: 202 })
    },
  })
  await screen.until(() => screen.text().includes('It is ready.'))
  await screen.click('button', 'Delete')
  await screen.until(() => screen.text().includes('there is hello'))
  await screen.click('[role="dialog"] input[type="checkbox"]')
  await screen.type('[role="dialog"] input:not([type="checkbox"])', 'shop')
  await screen.click('[role="dialog"] button[type="submit"]', 'Delete cluster')
  await screen.until(() => asked.length > 0)
  expect(asked).toEqual(['?with_apps=true'])
})

test('a cluster that is gone leads back to the list', async () => {
  using screen = await page(cluster(), { [`GET ${PATH}`]: () => new Response(null, { status: 404 }) })
  await screen.until(() => screen.text().includes('There is no cluster called c1'))
})

describe('the kubeconfig', () => {
  afterEach(() => vi.restoreAllMocks())
  const secret = 'apiVersion: v1 # sentinel-kubeconfig'

  test('becomes a file, and stays nowhere on the page', async () => {
    const saved: Blob[] = []
    vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
      saved.push(blob as Blob)
      return 'blob:test'
    })
    const names: string[] = []
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
      names.push(this.download)
    })
    let asked: unknown
    using screen = await page(cluster(), {
      [`POST ${PATH}/kubeconfig`]: (init: RequestInit) => {
        asked = bodyOf(init)
        return { kubeconfig: secret, expires_at: '2030-01-01T00:00:00.000Z' }
      },
    })
    await screen.until(() => screen.text().includes('It is ready.'))
    await screen.click('button', 'Kubeconfig')
    expect(screen.text()).toContain('Caelus records in the audit that you asked for it')
    await screen.click('button', 'Download')
    await screen.until(() => screen.text().includes('Downloaded. It expires on'))
    expect(asked).toEqual({ expires_in_seconds: 3600 })
    expect(names).toEqual(['shop.kubeconfig.yaml'])
    expect(await saved[0]?.text()).toBe(secret)
    expect(document.documentElement.outerHTML).not.toContain('sentinel-kubeconfig')
    const kept = [...screen.queries.getQueryCache().getAll(), ...screen.queries.getMutationCache().getAll()].map(
      ({ state }) => JSON.stringify(state),
    )
    expect(kept.join('\n')).not.toContain('sentinel-kubeconfig')
  })

  test('that is refused says why', async () => {
    using screen = await page(cluster(), {
      [`POST ${PATH}/kubeconfig`]: () =>
        Response.json(
          {
            title: 'The cluster is not ready',
            status: 409,
            detail: 'no control plane',
            code: 'ClusterNotReady',
            whose_move: 'user',
            next_step: 'Wait.',
          },
          { status: 409 },
        ),
    })
    await screen.until(() => screen.text().includes('It is ready.'))
    await screen.click('button', 'Kubeconfig')
    await screen.click('button', 'Download')
    await screen.until(() => screen.text().includes('no control plane'))
    expect(screen.text()).not.toContain('Downloaded')
  })
})

test('history has the timeline and the events', async () => {
  const event: ClusterEventView = {
    id: 'e1',
    type: 'sync_failed',
    actor: 'worker-1',
    message: 'gardener does not answer',
    attempt: 3,
    created_at: '2026-11-15T10:00:00.000Z',
  }
  using screen = await page(
    cluster(),
    {
      [`GET ${PATH}/timeline`]: {
        items: [
          {
            at: event.created_at,
            source: 'audit',
            actor: 'ada@example.test',
            object: null,
            what: 'created',
            message: 'ordered the cluster',
            count: 1,
            tone: 'info',
          },
        ],
      },
      [`GET ${PATH}/events`]: { items: [event], next_cursor: null },
    },
    '/history',
  )
  await screen.until(() => screen.text().includes('Gardener does not answer. Attempt 3.'))
  await screen.until(() => screen.text().includes('Ordered the cluster.'))
  expect(lineOfEvent({ ...event, message: null, attempt: null })).toMatchObject({
    reason: 'sync failed',
    message: '',
    tone: 'bad',
    about: 'worker-1',
  })
})

describe('words about a cluster', () => {
  test('who acts after an error depends on its state', () => {
    const titleAt = (state: string) => failureTitle({ shoot: shoot({ operation: operation(state) }) })
    expect([titleAt('Failed'), titleAt('Error'), titleAt('Succeeded')]).toEqual([
      'Gardener gave up',
      'Gardener met an error and retries',
      'The cluster is not healthy',
    ])
  })

  test('a retry is offered once', () => {
    const failed = cluster({ shoot: shoot({ operation: operation('Failed') }) })
    const asked = { kind: 'retry', requested_at: failed.created_at, pending: true } as const
    expect(mayRetry(failed)).toBe(true)
    expect(mayRetry({ ...failed, operation: asked })).toBe(false)
    const changedSince = { ...failed, generation: 5, operation: { ...asked, pending: false } }
    expect(mayRetry(changedSince)).toBe(true)
  })

  test('changes and attempts', () => {
    expect(changeText({ generation: 2, synced_generation: 2 })).toBe('2, sent to Gardener')
    const now = Date.parse('2026-11-15T10:00:00.000Z')
    expect(dueText(null, now)).toBe('when something changes')
    expect(dueText('2026-11-15T10:00:30.000Z', now)).toBe('in 30s')
    expect(dueText('2026-11-15T09:00:00.000Z', now)).toBe('now')
  })
})

describe('the apps in a cluster', () => {
  const since = new Date(Date.now() - 3 * 3_600_000 - 90_000).toISOString()
  const own = {
    name: 'hello-mine',
    owner: 'me@example.org',
    status: 'ready',
    status_since: since,
    deployment: { id: 'd1', user_id: 'u1' },
  }
  const given = (items: readonly object[]): Answers => ({ [`GET ${PATH}/apps`]: { items, next_cursor: null } })

  test('are listed with owner, status and its age, and linked where the reader may see them', async () => {
    const foreign = { ...own, name: 'hello-theirs', owner: 'other@example.org', status: 'error', deployment: null }
    const left = { ...foreign, name: 'hello-left', owner: null, status: 'deleting' }
    using screen = await page(cluster(), given([own, foreign, left]), '/apps')
    await screen.until(() => screen.text().includes('hello-left'))
    const rows = [...screen.root.querySelectorAll('tbody tr')].map((row) => row.textContent)
    expect(rows).toEqual([
      'hello-mineme@example.orgReady3h 1m',
      'hello-theirsother@example.orgFailed3h 1m',
      'hello-leftNo longer a memberBeing deleted3h 1m',
    ])
    const links = [...screen.root.querySelectorAll('tbody a')].map((link) => [
      link.textContent,
      link.getAttribute('href'),
    ])
    expect(links).toEqual([['hello-mine', '/apps/users/u1/deployments/d1']])
  })

  test.each([
    ['member', true],
    ['viewer', false],
  ])('without one, a %s is told what they are', async (role, mayOrder) => {
    const organization = { 'GET /organizations/o1': { ...acme, role } }
    using screen = await page(cluster(), { ...given([]), ...organization }, '/apps')
    await screen.until(() => screen.text().includes('There are no apps in this cluster'))
    expect(screen.text()).toContain('A cluster with apps is deleted only together with them.')
    expect(screen.text().includes('Order an app')).toBe(mayOrder)
  })
})
