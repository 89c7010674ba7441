// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest'
import type { ClusterView } from '../../../lib/api/contract.ts'
import { render, type Answers, type Screen } from '../../../testing/render.tsx'
import { ClustersPage } from '../ClustersPage.tsx'
import { newestFirst, versionText } from '../order/draft.ts'
import { answers, bodyOf, cluster, failure, gardenerAway, landscape, preview, shoot } from '../testing/cluster.ts'
import { effectText } from '../preflight/effects.ts'
import { hibernationText } from './Hibernation.tsx'
import { partText, rotationStage, rotationSteps } from './rotation.ts'

const PATH = '/organizations/o1/clusters/c1'

/** What was sent, with the version that it was made on. */
interface Sent {
  readonly body: unknown
  readonly ifMatch: string | null
}

const recorder = (answer: unknown = {}) => {
  const sent: Sent[] = []
  const record = (init: RequestInit): unknown => {
    sent.push({ body: bodyOf(init), ifMatch: new Headers(init.headers).get('if-match') })
    return answer
  }
  return { sent, record }
}

const versions = {
  current: '1.34.3',
  upgrades: [
    {
      version: '1.35.1',
      kind: 'minor',
      classification: 'supported',
      expires_at: null,
      changes: ['all nodes are replaced'],
    },
  ],
}

const page = (section: string, view: ClusterView, given: Answers = {}): Promise<Screen> =>
  render(<ClustersPage />, {
    path: `/clusters/o1/c1/${section}`,
    answers: {
      ...answers(),
      [`GET ${PATH}`]: view,
      [`GET ${PATH}/versions`]: versions,
      [`POST ${PATH}:preview`]: preview(),
      ...given,
    },
  })

const workers = cluster().node_pools[0]!
const two = cluster({ node_pools: [workers, { ...workers, id: 'p2', name: 'gpu' }] })
const sizes = { machine_type: 'small', autoscale_min: 1, autoscale_max: 3 }

const opened = async (view: ClusterView, given: Answers = {}): Promise<Screen> => {
  const screen = await page('node-pools', view, given)
  await screen.until(() => screen.text().includes('Add node pool'))
  return screen
}

const choose = async (screen: Screen, pool: string, action: string): Promise<void> => {
  await screen.click('button', `Actions for ${pool}`)
  await screen.click('[role="menuitem"]', action)
}

describe('node pools', () => {
  test('are listed with their machines', async () => {
    using screen = await opened(two)
    const rows = [...screen.root.querySelectorAll('tbody tr')].map(({ textContent }) => textContent)
    expect(rows[0]).toContain('workerssmall (2 CPU, 4Gi)1–3')
    expect(rows[1]).toContain('gpu')
  })

  test('are changed after all pools were checked; only this one is sent', async () => {
    const checked = recorder(
      preview({
        node_pools: [
          { name: 'gpu', change: 'changed', rolls: true, machines_min: 1, machines_max: 9, machines_during_roll: 10 },
        ],
      }),
    )
    const saved = recorder(workers)
    using screen = await opened(two, {
      [`POST ${PATH}:preview`]: checked.record,
      [`PATCH ${PATH}/node-pools/p2`]: saved.record,
    })
    await choose(screen, 'gpu', 'Change')
    await screen.type('[role="dialog"] input[value="3"]', '9')
    await screen.until(() => checked.sent.length === 2 && screen.text().includes('Gardener accepts this'))
    expect(checked.sent.at(-1)?.body).toEqual({
      node_pools: [
        { name: 'workers', ...sizes },
        { name: 'gpu', ...sizes, autoscale_max: 9 },
      ],
    })
    expect(screen.text()).toContain('gpuchanged: 1–9 machines, each replaced, at most 10 at once')
    await screen.click('[role="dialog"] button[type="submit"]', 'Save')
    await screen.until(() => document.querySelector('[role="dialog"]') === null)
    expect(saved.sent).toEqual([{ body: { ...sizes, autoscale_max: 9 }, ifMatch: '"4"' }])
  })

  test('show a problem at the field of the pool that is edited', async () => {
    const problem = {
      field: 'node_pools[1].machine_type',
      message: 'is not offered in eu-1',
      supported: ['small'],
      failure: failure('NotOffered'),
    }
    using screen = await opened(cluster(), {
      [`POST ${PATH}:preview`]: preview({ accepted: false, problems: [problem] }),
    })
    await screen.click('button', 'Add node pool')
    await screen.until(() => screen.text().includes('This would be refused'))
    expect(screen.find('[role="dialog"] input[aria-invalid="true"]').getAttribute('value')).toContain('small')
    expect(screen.find('[role="dialog"] button[type="submit"]').hasAttribute('disabled')).toBe(true)
  })

  test('are added with a free name', async () => {
    const saved = recorder(workers)
    using screen = await opened(cluster(), { [`POST ${PATH}/node-pools`]: saved.record })
    await screen.click('button', 'Add node pool')
    await screen.until(() => screen.text().includes('Gardener accepts this'))
    await screen.click('[role="dialog"] button[type="submit"]', 'Add')
    await screen.until(() => document.querySelector('[role="dialog"]') === null)
    expect(saved.sent).toEqual([{ body: { name: 'workers-2', ...sizes }, ifMatch: '"4"' }])
  })

  test('are removed, except the last one', async () => {
    const checked = recorder(preview())
    using screen = await opened(two, {
      [`POST ${PATH}:preview`]: checked.record,
      [`DELETE ${PATH}/node-pools/p2`]: () => new Response(null, { status: 204 }),
    })
    await choose(screen, 'gpu', 'Remove')
    await screen.until(() => screen.text().includes('Gardener accepts this'))
    expect(checked.sent[0]?.body).toEqual({ node_pools: [{ name: 'workers', ...sizes }] })
    await screen.click('[role="dialog"] button[type="submit"]', 'Remove')
    await screen.until(() => screen.requests.includes(`DELETE ${PATH}/node-pools/p2`))
    screen[Symbol.dispose]()
    using last = await opened(cluster())
    await last.click('button', 'Actions for workers')
    expect([...document.querySelectorAll('[role="menuitem"]')].map(({ textContent }) => textContent)).toEqual([
      'Change',
    ])
  })

  test('are changed although their machine type is not offered any more', async () => {
    const saved = recorder(workers)
    const old = cluster({ node_pools: [{ ...workers, machine_type: 'old' }] })
    using screen = await opened(old, { [`PATCH ${PATH}/node-pools/p1`]: saved.record })
    await choose(screen, 'workers', 'Change')
    const shown = [...document.querySelectorAll<HTMLInputElement>('[role="dialog"] input')].map(({ value }) => value)
    expect(shown).toContain('old, not offered')
    await screen.type('[role="dialog"] input[value="3"]', '9')
    await screen.click('[role="dialog"] button[type="submit"]', 'Save')
    await screen.until(() => saved.sent.length === 1)
    expect(saved.sent[0]?.body).toEqual({ machine_type: 'old', autoscale_min: 1, autoscale_max: 9 })
  })

  test('are changed and removed while Gardener is away, which is said', async () => {
    const saved = recorder(workers)
    using screen = await page('node-pools', two, {
      'GET /regions': gardenerAway,
      [`POST ${PATH}/node-pools`]: saved.record,
      [`DELETE ${PATH}/node-pools/p2`]: () => new Response(null, { status: 204 }),
    })
    await screen.until(() => screen.text().includes('Gardener does not answer'))
    await screen.click('button', 'Actions for gpu')
    expect([...document.querySelectorAll('[role="menuitem"]')].map(({ textContent }) => textContent)).toEqual([
      'Change',
      'Remove',
    ])
    await screen.click('[role="menuitem"]', 'Remove')
    await screen.until(() => screen.text().includes('Gardener accepts this'))
    await screen.click('[role="dialog"] button[type="submit"]', 'Remove')
    await screen.until(() => screen.requests.includes(`DELETE ${PATH}/node-pools/p2`))
    await screen.until(() => document.querySelector('[role="dialog"]') === null)
    await screen.click('button', 'Add node pool')
    expect(screen.text()).toContain('such as workers-1')
    await screen.type('[role="dialog"] input[value=""]', 'small')
    await screen.click('[role="dialog"] button[type="submit"]', 'Add')
    await screen.until(() => saved.sent.length === 1)
    expect(saved.sent[0]?.body).toMatchObject({ machine_type: 'small' })
  })

  test('that somebody else changed meanwhile are not overwritten in silence', async () => {
    const conflict = {
      title: 'Changed meanwhile',
      status: 412,
      detail: 'generation 5 is newer',
      code: 'VersionConflict',
      whose_move: 'user',
      next_step: 'Load it again.',
    }
    using screen = await opened(cluster(), {
      [`POST ${PATH}/node-pools`]: () => Response.json(conflict, { status: 412 }),
    })
    await screen.click('button', 'Add node pool')
    await screen.until(() => screen.text().includes('Gardener accepts this'))
    await screen.click('[role="dialog"] button[type="submit"]', 'Add')
    await screen.until(() => screen.text().includes('generation 5 is newer'))
    expect(screen.find('[role="dialog"] input').getAttribute('value')).toBe('workers-2')
  })
})

test('what becomes of a pool is told in a line', () => {
  const pool = { machines_min: 1, machines_max: 1, machines_during_roll: 2 }
  expect(effectText({ change: 'unchanged', rolls: false, ...pool })).toBe('unchanged: 1 machine')
  expect(effectText({ change: 'removed', rolls: false, ...pool })).toBe('removed with all of its machines')
})

describe('maintenance', () => {
  test('an upgrade is offered with what it changes, checked, and sent', async () => {
    const checked = recorder(preview())
    const saved = recorder(cluster())
    using screen = await page('maintenance', cluster(), {
      [`POST ${PATH}:preview`]: checked.record,
      [`PATCH ${PATH}`]: saved.record,
    })
    await screen.until(() => screen.text().includes('1.35.1, minor upgrade'))
    expect(screen.text()).toContain('All nodes are replaced.')
    await screen.until(() => document.querySelector('button[aria-label="Upgrade to 1.35.1"]') !== null)
    await screen.click('button', 'Upgrade to 1.35.1')
    await screen.until(() => screen.text().includes('Gardener accepts this'))
    await screen.click('[role="dialog"] button[type="submit"]', 'Upgrade')
    await screen.until(() => saved.sent.length === 1)
    expect(checked.sent[0]?.body).toEqual({ kubernetes_version: '1.35.1' })
    expect(saved.sent).toEqual([{ body: { kubernetes_version: '1.35.1' }, ifMatch: '"4"' }])
  })

  test('a version that Gardener refused is replaced by one that can be ordered, while there is no Shoot', async () => {
    const checked = recorder(preview())
    const saved = recorder(cluster())
    const refused = cluster({
      kubernetes_version: '1.39',
      status: 'pending',
      shoot: null,
      sync_failure: failure('ShootRefused'),
    })
    using screen = await page('maintenance', refused, {
      [`POST ${PATH}:preview`]: checked.record,
      [`PATCH ${PATH}`]: saved.record,
    })
    await screen.until(() => document.querySelector('button[aria-label="Change the Kubernetes version"]') !== null)
    expect(screen.text()).toContain('Version 1.39 is ordered')
    expect(screen.text()).not.toContain('upgrade')
    await screen.until(
      () => !screen.find('button[aria-label="Change the Kubernetes version"]').hasAttribute('disabled'),
    )
    await screen.click('button', 'Change the Kubernetes version')
    await screen.until(() => screen.text().includes('Gardener accepts this'))
    const offered = newestFirst(landscape.versions).map(versionText)
    expect([...document.querySelectorAll('[role="option"]')].map(({ textContent }) => textContent)).toEqual(offered)
    await screen.click('[role="option"]', offered.at(-1))
    await screen.until(() => checked.sent.length === 2 && screen.text().includes('Gardener accepts this'))
    await screen.click('[role="dialog"] button[type="submit"]', 'Save')
    await screen.until(() => saved.sent.length === 1)
    expect(checked.sent.map(({ body }) => body)).toEqual([
      { kubernetes_version: '1.34.3' },
      { kubernetes_version: '1.33.7' },
    ])
    expect(saved.sent).toEqual([{ body: { kubernetes_version: '1.33.7' }, ifMatch: '"4"' }])
    expect(screen.requests).not.toContain(`GET ${PATH}/versions`)
  })

  test.each([
    [false, 'Hibernate'],
    [true, 'Wake up'],
  ])('a cluster with hibernated=%s offers: %s', async (hibernated, verb) => {
    const saved = recorder(cluster())
    using screen = await page('maintenance', cluster({ hibernated }), { [`PATCH ${PATH}`]: saved.record })
    await screen.until(() => screen.text().includes(verb))
    await screen.click('button', verb)
    await screen.until(() => screen.text().includes('Gardener accepts this'))
    await screen.click('[role="dialog"] button[type="submit"]', verb)
    await screen.until(() => saved.sent.length === 1)
    expect(saved.sent[0]?.body).toEqual({ hibernated: !hibernated })
  })

  test('the state of hibernation is told as it is', () => {
    const deleting_since = cluster().created_at
    const told = (rest: Partial<ClusterView>) => hibernationText(cluster(rest))
    expect(told({})).toBe('The cluster runs.')
    expect(told({ status: 'pending', shoot: null })).toBe('The cluster is not created yet.')
    expect(told({ status: 'error' })).toBe('The cluster is not hibernated. Its status is error.')
    expect(told({ status: 'progressing', shoot: shoot({ hibernated: true }) })).toMatch(/^Wake-up requested/)
    expect(told({ status: 'deleting', deleting_since })).toBe('The cluster is being deleted.')
    expect(told({ status: 'deleted', deleting_since, hibernated: true })).toBe('The cluster is deleted.')
  })

  test('the ordered version of a deleted cluster cannot be replaced', async () => {
    const gone = cluster({ status: 'deleted', shoot: null, deleting_since: cluster().created_at })
    using screen = await page('maintenance', gone)
    await screen.until(() => screen.text().includes('Version 1.34 was ordered.'))
    expect(screen.text()).not.toContain('has no Shoot yet')
  })

  test('a dialog asks the same until it is closed', async () => {
    let view = cluster()
    using screen = await page('maintenance', view, {
      [`GET ${PATH}`]: () => view,
      [`PATCH ${PATH}`]: () => new Response('bad gateway', { status: 502 }),
    })
    await screen.until(() => screen.text().includes('Hibernate'))
    await screen.click('button', 'Hibernate')
    view = cluster({ hibernated: true })
    await screen.queries.invalidateQueries({ queryKey: ['clusters'] })
    await screen.until(() => screen.text().includes('The cluster is hibernated'))
    expect(screen.find('[role="dialog"] button[type="submit"]').textContent).toBe('Hibernate')
  })

  test('the window is changed, and given back to Gardener', async () => {
    const saved = recorder(cluster())
    const maintenance = {
      begin: '220000+0100',
      end: '230000+0100',
      update_kubernetes: true,
      update_machine_image: false,
    }
    using screen = await page('maintenance', cluster({ maintenance }), { [`PATCH ${PATH}`]: saved.record })
    await screen.until(() => document.querySelector('[aria-label="Change the maintenance window"]') !== null)
    expect(screen.text()).toContain('22:00–23:00 UTC+01:00')
    await screen.click('button', 'Change the maintenance window')
    await screen.type('[role="dialog"] input[type="time"]', '21:30')
    await screen.click('[role="dialog"] button[type="submit"]', 'Save')
    await screen.until(() => saved.sent.length === 1)
    expect(saved.sent[0]?.body).toEqual({ maintenance: { ...maintenance, begin: '213000+0100' } })
    await screen.until(() => document.querySelector('[role="dialog"]') === null)
    await screen.click('button', 'Change the maintenance window')
    await screen.click('[role="dialog"] input[type="checkbox"]')
    await screen.click('[role="dialog"] button[type="submit"]', 'Save')
    await screen.until(() => saved.sent.length === 2)
    expect(saved.sent[1]?.body).toEqual({ maintenance: null })
  })
})

describe('the rotation of credentials', () => {
  const parts = (phase: string, other = phase) => ({ certificateAuthorities: phase, serviceAccountKey: other })
  const at = (rotation: Record<string, string>, rest: Partial<ClusterView> = {}): ClusterView =>
    cluster({ shoot: shoot({ rotation }), ...rest })

  test('is started, tells to renew, and is completed', async () => {
    let view = at({})
    const operated = recorder(view)
    using screen = await page('maintenance', view, {
      [`GET ${PATH}`]: () => view,
      [`POST ${PATH}:operate`]: operated.record,
    })
    await screen.until(() => screen.text().includes('Start rotation'))
    await screen.click('button', 'Start rotation')
    expect(screen.text()).toContain('replaces all nodes')
    view = at(parts('Prepared'))
    await screen.click('[role="dialog"] button', 'Start rotation')
    await screen.until(() => screen.text().includes('Action required: renew kubeconfigs'))
    expect(screen.find('[aria-current="step"]').textContent).toContain('Renew what uses the old ones')
    expect(screen.text()).toContain('certificate authoritiesPrepared')
    await screen.until(() => document.querySelector('[role="dialog"]') === null)
    await screen.click('button', 'Complete rotation')
    view = at(parts('Completed'))
    await screen.click('[role="dialog"] button', 'Complete rotation')
    await screen.until(() => screen.text().includes('The last rotation is complete.'))
    expect(operated.sent.map(({ body }) => body)).toEqual([
      { operation: 'rotate-credentials-start' },
      { operation: 'rotate-credentials-complete' },
    ])
  })

  test.each([
    [{}, 'none'],
    [parts('Preparing'), 'preparing'],
    [parts('Prepared', 'WaitingForWorkersRollout'), 'preparing'],
    [parts('PreparingWithoutWorkersRollout'), 'preparing'],
    [parts('Prepared'), 'prepared'],
    [parts('Completed', 'Completing'), 'completing'],
    [parts('Completed'), 'completed'],
  ] as const)('is where its slowest part is: %j', (rotation, stage) => {
    expect(rotationStage(at(rotation))).toBe(stage)
  })

  test('is under way as soon as it was asked for', () => {
    const asked = (kind: 'rotate-credentials-start' | 'rotate-credentials-complete', rotation = {}) =>
      rotationStage(at(rotation, { operation: { kind, requested_at: cluster().created_at, pending: true } }))
    expect(asked('rotate-credentials-start')).toBe('preparing')
    expect(asked('rotate-credentials-complete', parts('Prepared'))).toBe('completing')
  })

  test('that is over is not under way again because of another change', async () => {
    const operation = {
      kind: 'rotate-credentials-complete',
      requested_at: cluster().created_at,
      pending: false,
    } as const
    const view = at(parts('Completed'), { operation, generation: 5, synced_generation: 4 })
    expect(rotationStage(view)).toBe('completed')
    using screen = await page('maintenance', view)
    await screen.until(() => screen.text().includes('The last rotation is complete.'))
    await screen.until(() => screen.text().includes('Start rotation'))
  })

  test('has three steps', () => {
    expect(rotationSteps('prepared').map(({ state }) => state)).toEqual(['done', 'running', 'waiting'])
    expect(rotationSteps('completed').map(({ state }) => state)).toEqual(['done', 'done', 'done'])
    expect(partText('etcdEncryptionKey')).toBe('etcd encryption key')
  })
})
