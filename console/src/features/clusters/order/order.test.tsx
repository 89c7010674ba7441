// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from 'vitest'
import { forgetOrganizationChoice } from '../../../lib/organization-choice.ts'
import { render, type Answers, type Screen } from '../../../testing/render.tsx'
import { ClustersPage } from '../ClustersPage.tsx'
import { limitText } from '../preflight/LimitBar.tsx'
import { below, fieldProblems } from '../preflight/problems.ts'
import { acme, answers, bodyOf, cluster, failure, gardenerAway, landscape, preview } from '../testing/cluster.ts'
import { emptyFields, machineText, newDraft, newPool, orderOf, preferredVersion, versionText } from './draft.ts'
import { draftOfWindow, usualWindow, windowOf, windowText, zoneChoices, zoneOf } from './window.ts'

beforeEach(forgetOrganizationChoice)

const page = (given: Answers = {}, path = '/clusters/new'): Promise<Screen> =>
  render(<ClustersPage />, {
    path,
    answers: { ...answers(), 'POST /organizations/o1/clusters:preview': preview(), ...given },
  })

const nameField = 'input[maxlength="40"]'

/** Resolves once the form is drawn. */
const opened = async (given: Answers = {}, path?: string): Promise<Screen> => {
  const screen = await page(given, path)
  await screen.until(() => screen.root.querySelector(nameField) !== null)
  return screen
}

const bodies = (): {
  readonly sent: unknown[]
  readonly keys: string[]
  readonly read: (init: RequestInit) => void
} => {
  const sent: unknown[] = []
  const keys: string[] = []
  return {
    sent,
    keys,
    read: (init) => {
      sent.push(bodyOf(init))
      keys.push(new Headers(init.headers).get('idempotency-key') ?? '')
    },
  }
}

test('an order is checked while it is edited, and created with what was checked', async () => {
  const checked = bodies()
  const created = bodies()
  using screen = await opened({
    'POST /organizations/o1/clusters:preview': (init: RequestInit) => {
      checked.read(init)
      return preview({
        fields: [{ field: 'spec.region', change: 'added', after: 'eu-1' }],
        node_pools: [
          { name: 'workers', change: 'added', rolls: false, machines_min: 1, machines_max: 3, machines_during_roll: 4 },
        ],
      })
    },
    'POST /organizations/o1/clusters': (init: RequestInit) => {
      created.read(init)
      return cluster({ id: 'c9' })
    },
    'GET /organizations/o1/clusters/c9': cluster({ id: 'c9' }),
  })
  expect(screen.text()).toContain('Complete the form to check the order')
  await screen.type(nameField, 'shop')
  await screen.until(() => screen.text().includes('Gardener accepts this'))
  expect(screen.text()).toContain('2 of 3 clusters with this change (1 now), 1 left')
  expect(screen.text()).toContain('6 nodes with this change (3 now), no limit')
  expect(screen.find('section[aria-label="Node pools with this change"]').textContent).toBe(
    'workersadded: 1–3 machines',
  )
  expect(screen.text()).toContain('1 field of the Shoot changes')
  await screen.click('button[type="submit"]', 'Create cluster')
  await screen.until(() => created.sent.length === 1)
  expect(created.sent).toEqual(checked.sent)
  expect(created.sent[0]).toEqual({
    name: 'shop',
    region: 'eu-1',
    kubernetes_version: '1.34.3',
    node_pools: [{ name: 'workers', machine_type: 'small', autoscale_min: 1, autoscale_max: 3 }],
    maintenance: null,
  })
})

test('a problem is shown at its field with what is supported, and nothing is created', async () => {
  const refused = {
    field: 'kubernetes_version',
    message: 'is not offered any more',
    supported: ['1.33.7'],
    failure: failure('NotOffered'),
  }
  const without = { field: null, message: 'too many clusters', supported: null, failure: failure('ClusterLimit') }
  let version = ''
  using screen = await opened({
    'POST /organizations/o1/clusters:preview': (init: RequestInit) => {
      version = (bodyOf(init) as { kubernetes_version: string }).kubernetes_version
      if (version === '1.33.7') return preview()
      return preview({
        accepted: false,
        problems: [refused, without],
        limits: { clusters: { used: 3, after: 4, limit: 3 }, nodes: { used: 3, after: 6, limit: 10 } },
      })
    },
  })
  await screen.type(nameField, 'shop')
  await screen.until(() => screen.text().includes('This would be refused'))
  expect(screen.find('input[aria-invalid="true"]').getAttribute('value')).toContain('1.34.3')
  expect(screen.text()).toContain('Too many clusters. Action required: you. Change it.')
  expect(screen.text()).toContain('4 of 3 clusters with this change (3 now), 1 too many')
  await screen.click('button[type="submit"]', 'Create cluster')
  expect(screen.requests).not.toContain('POST /organizations/o1/clusters')
  await screen.click('button', 'Use 1.33.7')
  await screen.until(() => screen.text().includes('Gardener accepts this'))
  expect(version).toBe('1.33.7')
})

test('what was typed survives a refusal, and the same order repeats its key', async () => {
  const created = bodies()
  let answer = 503
  using screen = await opened({
    'POST /organizations/o1/clusters': (init: RequestInit) => {
      created.read(init)
      const errors = answer === 409 ? [{ field: 'name', message: 'is taken' }] : []
      return Response.json(
        { title: 'No', status: answer, detail: 'no answer', code: 'No', whose_move: 'user', next_step: '-', errors },
        { status: answer },
      )
    },
  })
  await screen.type(nameField, 'shop')
  await screen.click('button[type="submit"]', 'Create cluster')
  await screen.until(() => screen.text().includes('no answer'))
  answer = 409
  await screen.click('button[type="submit"]', 'Create cluster')
  await screen.until(() => screen.text().includes('is taken'))
  expect(created.keys[0]).toMatch(/^[0-9a-f]{32}$/)
  expect(created.keys[1]).toBe(created.keys[0])
  const name = screen.find(nameField) as HTMLInputElement
  expect([name.value, name.getAttribute('aria-invalid')]).toEqual(['shop', 'true'])
})

test('what is missing is named when the order is sent', async () => {
  using screen = await opened()
  await screen.click('button[type="submit"]', 'Create cluster')
  expect(screen.text()).toContain('must not be empty')
  expect(screen.requests.filter((request) => request.startsWith('POST'))).toEqual([])
})

test('a check that fails does not forbid the order', async () => {
  using screen = await opened({
    'POST /organizations/o1/clusters:preview': () => new Response('bad gateway', { status: 502 }),
    'POST /organizations/o1/clusters': cluster(),
    'GET /organizations/o1/clusters/c1': cluster(),
  })
  await screen.type(nameField, 'shop')
  await screen.until(() => screen.text().includes('The check failed'))
  await screen.click('button[type="submit"]', 'Create cluster')
  await screen.until(() => screen.requests.includes('POST /organizations/o1/clusters'))
})

test('node pools are added and removed', async () => {
  using screen = await opened()
  expect(screen.root.querySelectorAll('fieldset')).toHaveLength(1)
  await screen.click('button', 'Add node pool')
  expect([...screen.root.querySelectorAll('legend')].map(({ textContent }) => textContent)).toEqual([
    'node pool workers',
    'node pool workers-2',
  ])
  await screen.click('button', 'Remove node pool workers')
  expect(screen.find('legend').textContent).toBe('node pool workers-2')
  expect(screen.root.querySelectorAll('fieldset')).toHaveLength(1)
})

test('an organization is chosen among those in which one may create', async () => {
  const others = ['member', 'viewer', null].map((role, index) => ({
    ...acme,
    id: `x${index}`,
    name: `X${index}`,
    role,
  }))
  using screen = await opened({ 'GET /organizations': { items: [acme, ...others], next_cursor: null } })
  expect(screen.text()).toContain('Choose an organization to check the order')
  await screen.click('input[aria-label="Organization"]')
  expect(
    [...document.querySelectorAll('[role="listbox"] [role="option"]')].map(({ textContent }) => textContent),
  ).toEqual(expect.arrayContaining(['Acme', 'X0']))
  expect(screen.text()).not.toContain('X1')
  await screen.type(nameField, 'shop')
  await screen.click('[role="option"]', 'Acme')
  await screen.until(() => screen.text().includes('Gardener accepts this'))
  expect((screen.find(nameField) as HTMLInputElement).value).toBe('shop')
  expect(screen.requests).toContain('GET /regions?organization_id=o1')
})

test('an order begins with what the organization may have', async () => {
  const regions = landscape.regions.map(({ name }) => ({ name, allowed: true }))
  using screen = await render(<ClustersPage />, {
    path: '/clusters/new',
    answers: {
      ...answers(),
      'GET /regions': (_: RequestInit, url: URL) =>
        url.searchParams.has('organization_id') ? landscape : { ...landscape, regions },
    },
  })
  await screen.until(
    () => screen.root.querySelector<HTMLInputElement>('input[placeholder="Choose one"]')?.value === 'eu-1',
  )
})

test('while Gardener is away, an order is typed, and what was typed outlasts that', async () => {
  const created = bodies()
  let isAway = true
  using screen = await opened({
    'GET /regions': () => (isAway ? gardenerAway() : landscape),
    'POST /organizations/o1/clusters:preview': preview({ not_consulted: ['Gardener does not answer'] }),
    'POST /organizations/o1/clusters': (init: RequestInit) => {
      created.read(init)
      return cluster()
    },
    'GET /organizations/o1/clusters/c1': cluster(),
  })
  expect(screen.find('[role="alert"]').textContent).toContain('Gardener does not answer')
  await screen.type(nameField, 'shop')
  await screen.type('input[value=""]', 'eu-1 ')
  await screen.type('input[value=""]', '1.34')
  await screen.type('input[value=""]', 'small')
  await screen.until(() => screen.text().includes('Caelus accepts this; not everything could be checked'))
  isAway = false
  await screen.click('button', 'Try again')
  await screen.until(() => screen.root.querySelector('input[placeholder="Choose one"]') !== null)
  expect([...screen.root.querySelectorAll('input')].map(({ value }) => value)).toEqual(
    expect.arrayContaining(['shop', '1.34, newest patch', 'small (2 CPU, 4Gi)']),
  )
  await screen.click('button[type="submit"]', 'Create cluster')
  await screen.until(() => created.sent.length === 1)
  expect(created.sent[0]).toMatchObject({
    name: 'shop',
    region: 'eu-1',
    kubernetes_version: '1.34',
    node_pools: [{ machine_type: 'small' }],
  })
})

test('the form says which names are allowed', async () => {
  using screen = await opened()
  expect(screen.text()).toContain('such as prod-1. Begins with a letter, ends with a letter or digit.')
  expect(screen.text()).toContain('such as workers-1. They begin with a letter and end with a letter or digit.')
})

test('a viewer is not shown a form that would be refused', async () => {
  using screen = await page({ 'GET /organizations': { items: [{ ...acme, role: 'viewer' }], next_cursor: null } })
  await screen.until(() => screen.text().includes('Viewers cannot create clusters'))
  expect(screen.root.querySelector('form')).toBeNull()
})

describe('a draft', () => {
  test('begins with the newest supported version and what is the only choice', () => {
    expect(newDraft(landscape)).toMatchObject({ region: 'eu-1', kubernetes_version: '1.34.3' })
    const versions = ['1.9.0', '1.10.0'].map((version) => ({ version, classification: 'supported', expires_at: null }))
    expect(preferredVersion(versions)).toBe('1.10.0')
    expect(preferredVersion([{ version: '2.0.0', classification: 'preview', expires_at: null }])).toBe('2.0.0')
    expect(preferredVersion([{ version: '1.0.0', classification: 'expired', expires_at: null }])).toBe('')
  })

  test('knows what is still empty', () => {
    const draft = newDraft(landscape)
    expect(emptyFields(draft)).toEqual(['name'])
    const pool = { ...newPool(landscape, []), machine_type: '', autoscale_min: '' }
    const maintenance = { ...usualWindow('+0000'), end: '' }
    expect(emptyFields({ ...draft, name: 'a', node_pools: [pool], maintenance })).toEqual([
      'node_pools/0/machine_type',
      'node_pools/0/autoscale_min',
      'maintenance/end',
    ])
  })

  test('becomes an order', () => {
    expect(orderOf({ ...newDraft(landscape), name: ' shop ', maintenance: usualWindow('+0100') })).toMatchObject({
      name: 'shop',
      maintenance: { begin: '220000+0100', end: '230000+0100' },
    })
  })

  test('marks versions that end, and tells what a machine has', () => {
    const [old, now, next] = landscape.versions
    expect(versionText(old!)).toMatch(/^1\.33\.7 \(deprecated, expires .*2027.*\)$/)
    expect([versionText(now!), versionText(next!)]).toEqual(['1.34.3', '1.35.0 (preview)'])
    expect(machineText({ name: 'huge', cpu: '64', gpu: '8', memory: '256Gi' })).toBe('huge (64 CPU, 8 GPU, 256Gi)')
  })
})

describe('a maintenance window', () => {
  const may = { update_kubernetes: true, update_machine_image: false }

  test('is edited in the zone of its beginning', () => {
    const window = { begin: '233000+0100', end: '003000+0200', ...may }
    expect(draftOfWindow(window)).toEqual({ begin: '23:30', end: '23:30', zone: '+0100', ...may })
    expect(windowText({ ...window, end: '003000+0100' })).toBe('23:30–00:30 UTC+01:00')
    expect(windowOf(draftOfWindow({ begin: '010000-0330', end: '020000-0330', ...may }))).toEqual({
      begin: '010000-0330',
      end: '020000-0330',
      ...may,
    })
  })

  test('offers every full hour, and the zone that it has', () => {
    expect([zoneOf(60), zoneOf(-210), zoneOf(0)]).toEqual(['+0100', '-0330', '+0000'])
    const labels = zoneChoices('+0530').map(({ label }) => label)
    expect(labels).toHaveLength(28)
    expect(labels.slice(17, 20)).toEqual(['UTC+05:00', 'UTC+05:30', 'UTC+06:00'])
  })
})

test('problems are found by the field of the form', () => {
  const problem = { message: 'no', supported: ['a'], failure: failure('NotOffered') }
  const problems = fieldProblems([
    { field: 'node_pools[1].machine_type', ...problem },
    { field: null, ...problem },
  ])
  expect([...problems.keys()]).toEqual(['node_pools/1/machine_type'])
  expect(below(problems, 'node_pools/1').get('machine_type')).toEqual({ message: 'no', supported: ['a'] })
  expect(below(problems, 'node_pools/0').size).toBe(0)
})

test('a limit tells what is left, or too many', () => {
  expect(limitText({ noun: 'nodes', used: 3, limit: 5 })).toBe('3 of 5 nodes, 2 left')
  expect(limitText({ noun: 'nodes', used: 7, limit: 5 })).toBe('7 of 5 nodes, 2 too many')
  expect(limitText({ noun: 'nodes', used: 1, limit: null })).toBe('1 node, no limit')
  expect(limitText({ noun: 'nodes', used: 4, after: 3, limit: 5 })).toBe(
    '3 of 5 nodes with this change (4 now), 2 left',
  )
})
