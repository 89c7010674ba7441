import type { InjectOptions } from 'fastify'
import { expect, test } from 'vitest'
import type {
  ClusterEventView,
  ClusterView,
  NodePoolOfClusterView,
  NodePoolView,
  Problem,
} from '../../../src/api/contract/index.ts'
import { openPool } from '../../../src/store/index.ts'
import type { Person } from '../world.ts'
import { placeApp, sayStatus } from '../../clusters/placed-app.ts'
import { clustersApi, ORDER, type ClustersApi } from './world.ts'

const send = async (
  w: ClustersApi,
  by: Person,
  method: InjectOptions['method'],
  url: string,
  payload?: object,
  headers = {},
) => await w.as(by.secret, { method: method ?? 'GET', url, headers, ...(payload && { payload }) })

test('a cluster is ordered, read, changed and deleted, with its version in the ETag', async () => {
  await using w = await clustersApi()
  const created = await send(w, w.owner, 'POST', w.path, ORDER)
  expect([created.statusCode, created.headers['etag']]).toEqual([201, '"1"'])
  const made = created.json<ClusterView>()
  expect(made).toMatchObject({
    ...ORDER,
    organization_id: w.organization.id,
    organization: 'Acme',
    hibernated: false,
    maintenance: null,
    generation: 1,
    synced_generation: 0,
    status: 'pending',
    status_failure: null,
    sync_failure: null,
    shoot: null,
    deleting_since: null,
  })
  expect(made.next_sync_at).not.toBeNull()

  const url = `${w.path}/${made.id}`
  expect((await send(w, w.viewer, 'GET', url)).json()).toMatchObject({ id: made.id })
  const maintenance = { begin: '220000+0100', end: '230000+0100', update_kubernetes: true, update_machine_image: false }
  const changed = await send(w, w.member, 'PATCH', url, { hibernated: true, maintenance }, { 'if-match': '"1"' })
  expect([changed.statusCode, changed.headers['etag']]).toEqual([200, '"2"'])
  expect(changed.json()).toMatchObject({ hibernated: true, maintenance, generation: 2 })
  const late = await send(w, w.member, 'PATCH', url, { hibernated: false }, { 'if-match': '"1"' })
  expect([late.statusCode, late.json<Problem>().code]).toEqual([412, 'ChangedMeanwhile'])
  expect((await send(w, w.member, 'PATCH', url, { maintenance: null })).json()).toMatchObject({ maintenance: null })

  const gone = await send(w, w.owner, 'DELETE', url, undefined, { 'if-match': '"3"' })
  expect([gone.statusCode, gone.headers['etag']]).toEqual([202, '"4"'])
  expect(gone.json<ClusterView>().deleting_since).not.toBeNull()
  const refused = await send(w, w.owner, 'PATCH', url, { hibernated: false })
  expect([refused.statusCode, refused.json<Problem>().code]).toEqual([409, 'ClusterBeingDeleted'])
  const again = await send(w, w.owner, 'DELETE', url)
  expect([again.statusCode, again.json<ClusterView>().generation]).toEqual([202, 4])
})

test('the same Idempotency-Key orders once', async () => {
  await using w = await clustersApi()
  const headers = { 'idempotency-key': 'order-1' }
  const [first, second] = [
    await send(w, w.owner, 'POST', w.path, ORDER, headers),
    await send(w, w.owner, 'POST', w.path, ORDER, headers),
  ]
  expect([second.statusCode, second.json<ClusterView>().id]).toEqual([201, first.json<ClusterView>().id])
})

test('everyone lists what they may see, page by page, and says whose it is', async () => {
  await using w = await clustersApi()
  const made = [await w.create(w.owner, { name: 'a' }), await w.create(w.owner, { name: 'b' })]
  const ids = made.map(({ id }) => id).toReversed()
  const list = async (by: Person, url: string): Promise<ClusterView[]> =>
    (await send(w, by, 'GET', url)).json<{ items: ClusterView[] }>().items
  for (const by of [w.owner, w.viewer, w.admin]) {
    expect((await list(by, '/api/v1/clusters')).map(({ id }) => id)).toEqual(ids)
    expect((await list(by, w.path)).map(({ organization }) => organization)).toEqual(['Acme', 'Acme'])
  }
  expect(await list(w.stranger, '/api/v1/clusters')).toEqual([])
  expect((await list(w.owner, '/api/v1/clusters?name=a')).map(({ name }) => name)).toEqual(['a'])
  expect(await list(w.owner, '/api/v1/clusters?status=ready')).toEqual([])
  const first = (await send(w, w.owner, 'GET', `${w.path}?limit=1`)).json<{
    items: ClusterView[]
    next_cursor: string
  }>()
  const second = await list(w.owner, `${w.path}?limit=1&cursor=${first.next_cursor}`)
  expect([...first.items, ...second].map(({ id }) => id)).toEqual(ids)
  expect((await send(w, w.viewer, 'GET', `/api/v1/clusters/${ids[0]}`)).json()).toMatchObject({ id: ids[0] })
})

/** Every way to reach a cluster or to change one. */
const requests = (
  w: ClustersApi,
  id: string,
  pool: string,
): [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object][] => [
  ['GET', `${w.path}/${id}`],
  ['GET', `${w.path}/${id}/events`],
  ['GET', `${w.path}/${id}/node-pools`],
  ['GET', `${w.path}/${id}/apps`],
  ['GET', w.path],
  ['GET', `/api/v1/organizations/${w.organization.id}/limits`],
  ['GET', `/api/v1/clusters/${id}`],
  ['GET', `/api/v1/clusters?organization_id=${w.organization.id}`],
  ...writes(w, id, pool),
]
const writes = (
  w: ClustersApi,
  id: string,
  pool: string,
): [method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object][] => [
  ['POST', w.path, { ...ORDER, name: 'two' }],
  ['PATCH', `${w.path}/${id}`, { name: 'taken-over' }],
  ['DELETE', `${w.path}/${id}`],
  ['POST', `${w.path}/${id}:operate`, { operation: 'reconcile' }],
  ['POST', `${w.path}/${id}:sync`],
  ['POST', `${w.path}/${id}/node-pools`, { ...ORDER.node_pools[0], name: 'more' }],
  ['PATCH', `${w.path}/${id}/node-pools/${pool}`, { autoscale_max: 5 }],
  ['DELETE', `${w.path}/${id}/node-pools/${pool}`],
]

test('a stranger finds nothing, and a viewer changes nothing', async () => {
  await using w = await clustersApi()
  const { id, node_pools } = await w.create(w.owner)
  const pool = node_pools[0]?.id ?? ''
  for (const [method, url, payload] of requests(w, id, pool)) {
    const answer = await send(w, w.stranger, method, url, payload)
    expect([method, url, answer.statusCode, answer.json<Problem>().code]).toEqual([method, url, 404, 'NotFound'])
  }
  for (const [method, url, payload] of writes(w, id, pool)) {
    const answer = await send(w, w.viewer, method, url, payload)
    expect([method, url, answer.statusCode, answer.json<Problem>().code]).toEqual([method, url, 403, 'NotAllowed'])
    expect(answer.json<Problem>().detail).toContain('only owners and members of Acme may')
  }
  expect((await send(w, w.owner, 'GET', `${w.path}/${id}`)).json()).toMatchObject({ generation: 1, name: 'one' })
  const limits = `/api/v1/organizations/${w.organization.id}/limits`
  expect((await send(w, w.owner, 'PUT', limits, { max_clusters: 99 })).statusCode).toBe(403)
})

test('a cluster of another organization is not found under this one', async () => {
  await using w = await clustersApi()
  const { id } = await w.create(w.owner)
  const other = (await send(w, w.stranger, 'POST', '/api/v1/organizations', { name: 'Other' })).json<{ id: string }>()
  const path = `/api/v1/organizations/${other.id}/clusters/${id}`
  for (const by of [w.stranger, w.admin]) {
    expect((await send(w, by, 'GET', path)).statusCode).toBe(404)
    expect((await send(w, by, 'PATCH', path, { name: 'x' })).statusCode).toBe(404)
    expect((await send(w, by, 'DELETE', path)).statusCode).toBe(404)
    expect((await send(w, by, 'POST', `${path}:sync`)).statusCode).toBe(404)
  }
})

test('node pools are added, changed and removed, each a change of the cluster', async () => {
  await using w = await clustersApi()
  const { id } = await w.create(w.owner)
  const pools = `${w.path}/${id}/node-pools`
  const added = await send(w, w.member, 'POST', pools, { ...ORDER.node_pools[0], name: 'gpu' }, { 'if-match': '"1"' })
  expect([added.statusCode, added.headers['etag'], added.json()]).toMatchObject([
    201,
    '"2"',
    { name: 'gpu', generation: 2 },
  ])
  const { id: gpu } = added.json<NodePoolView>()
  expect(
    (await send(w, w.member, 'POST', pools, { ...ORDER.node_pools[0], name: 'x' }, { 'if-match': '"1"' })).statusCode,
  ).toBe(412)
  const grow = (ifMatch: string) =>
    send(w, w.member, 'PATCH', `${pools}/${gpu}`, { autoscale_max: 7 }, { 'if-match': ifMatch })
  expect((await grow('"1"')).statusCode).toBe(412)
  const grown = await grow('"2"')
  expect(grown.headers['etag']).toBe('"3"')
  expect(grown.json()).toMatchObject({ name: 'gpu', autoscale_min: 1, autoscale_max: 7, generation: 3 })
  expect(
    (await send(w, w.viewer, 'GET', pools)).json<{ items: NodePoolView[] }>().items.map(({ name }) => name),
  ).toEqual(['default', 'gpu'])
  const listed = await send(w, w.viewer, 'GET', pools)
  const [first] = listed.json<{ items: NodePoolOfClusterView[] }>().items
  expect([listed.headers['etag'], first?.generation]).toEqual(['"3"', 3])
  const drop = (ifMatch: string) =>
    send(w, w.member, 'DELETE', `${pools}/${first?.id}`, undefined, { 'if-match': ifMatch })
  expect((await drop('"2"')).statusCode).toBe(412)
  const dropped = await drop('"3"')
  expect([dropped.statusCode, dropped.headers['etag']]).toEqual([204, '"4"'])
  const last = await send(w, w.member, 'DELETE', `${pools}/${gpu}`)
  expect([last.statusCode, last.json<Problem>().errors?.[0]?.message]).toEqual([
    400,
    expect.stringContaining('last one'),
  ])
  expect((await send(w, w.owner, 'GET', `${w.path}/${id}`)).json()).toMatchObject({ generation: 4 })

  const again = () =>
    send(w, w.member, 'POST', pools, { ...ORDER.node_pools[0], name: 'more' }, { 'idempotency-key': 'pool-1' })
  const [made, replayed] = [await again(), await again()]
  expect([made.headers['etag'], replayed.headers['etag'], replayed.headers['idempotency-replayed']]).toEqual([
    '"5"',
    '"5"',
    'true',
  ])
})

test('the apps in a cluster are listed for all of the organization, with a reference for their users alone', async () => {
  await using w = await clustersApi()
  const { id } = await w.create(w.owner)
  const placed = { clusterId: id, userId: w.member.userId, name: 'hello-1' }
  const deployment = await placeApp(w.url, placed)
  const listed = async (by: Person) => (await send(w, by, 'GET', `${w.path}/${id}/apps`)).json<object>()
  const app = (ref: object | null) => ({
    items: [
      {
        name: 'hello-1',
        owner: 'member@example.test',
        status: 'pending',
        status_since: expect.stringMatching(/^20.*Z$/) as string,
        deployment: ref,
      },
    ],
    next_cursor: null,
  })
  const ref = { id: deployment, user_id: w.member.userId }
  for (const by of [w.member, w.admin]) expect(await listed(by)).toEqual(app(ref))
  for (const by of [w.owner, w.viewer]) expect(await listed(by)).toEqual(app(null))
  expect((await send(w, w.owner, 'DELETE', `${w.path}/${id}`)).json()).toMatchObject({ code: 'ClusterInUse' })
  await sayStatus(w.url, 'hello-1', 'deleted')
  expect(await listed(w.owner)).toEqual({ items: [], next_cursor: null })
})

test('every refusal names the field and what to do', async () => {
  await using w = await clustersApi()
  const { id } = await w.create(w.owner)
  const limits = `/api/v1/organizations/${w.organization.id}/limits`
  const set = await send(w, w.admin, 'PUT', limits, {
    max_clusters: 1,
    max_nodes: 4,
    regions: ['local'],
    machine_types: ['small'],
  })
  expect([set.statusCode, set.headers['etag'], set.json()]).toMatchObject([200, '"1"', { clusters: 1, nodes: 3 }])
  expect((await send(w, w.admin, 'PUT', limits, {}, { 'if-match': '"0"' })).statusCode).toBe(412)
  const refusal = async (method: 'POST' | 'PATCH', url: string, payload: object) => {
    const answer = await send(w, w.owner, method, url, payload)
    const { code, errors = [], detail } = answer.json<Problem>()
    return [answer.statusCode, code, errors.map(({ field }) => field), detail]
  }
  const url = `${w.path}/${id}`
  const shoot = { namespace: 'n', name: 's', uid: 'u', kubernetesVersion: '1.34.3', isHibernated: false }
  const seen = { ...shoot, operation: null, conditions: [], errors: [], rotation: {} }
  const worker = openPool({ url: w.url, applicationName: 'test worker', role: 'caelus_worker' })
  await worker.query('update tenant.cluster_sync set shoot = $2 where cluster_id = $1', [id, seen])
  await worker.end()
  expect(await refusal('POST', w.path, { ...ORDER, name: 'two' })).toEqual([
    409,
    'ClusterLimit',
    ['node_pools'],
    'Acme has one cluster, and the limit is 1',
  ])
  expect((await refusal('POST', w.path, ORDER)).slice(0, 3)).toEqual([409, 'ClusterNameTaken', ['name', 'node_pools']])
  expect((await refusal('POST', w.path, { ...ORDER, region: 'mars' }))[2]).toContain('region')
  expect((await refusal('PATCH', url, { region: 'mars' })).slice(0, 3)).toEqual([422, 'RegionImmutable', ['region']])
  expect((await refusal('PATCH', url, { kubernetes_version: '1.36' })).slice(0, 3)).toEqual([
    422,
    'VersionRefused',
    ['kubernetes_version'],
  ])
  expect((await refusal('PATCH', url, { kubernetes_version: '1.33' })).slice(0, 3)).toEqual([
    422,
    'VersionRefused',
    ['kubernetes_version'],
  ])
  const pools = (more: object) => ({ node_pools: [{ ...ORDER.node_pools[0], ...more }] })
  expect(await refusal('PATCH', url, pools({ machine_type: 'huge' }))).toEqual([
    422,
    'NotOffered',
    ['node_pools[0].machine_type'],
    'huge must be one of those that the organization may have: small',
  ])
  expect(await refusal('PATCH', url, pools({ autoscale_max: 5 }))).toEqual([
    409,
    'ClusterLimit',
    ['node_pools'],
    'the node pools of Acme would have 5 nodes together, and the limit is 4',
  ])
  expect((await refusal('PATCH', url, pools({ autoscale_min: 4, autoscale_max: 3 }))).slice(0, 3)).toEqual([
    400,
    'InvalidRequest',
    ['node_pools[0].autoscale_max'],
  ])
  expect((await refusal('PATCH', url, { node_pools: [ORDER.node_pools[0], ORDER.node_pools[0]] }))[2]).toContain(
    'node_pools[1].name',
  )
})

test.each([
  ['a name with capitals', { name: 'One' }, 'name'],
  ['a name that is SQL', { name: "x'; drop table tenant.clusters; --" }, 'name'],
  ['a long name', { name: 'a'.repeat(41) }, 'name'],
  ['no version', { kubernetes_version: 'latest' }, 'kubernetes_version'],
  ['no node pools', { node_pools: [] }, 'node_pools'],
  [
    'too many node pools',
    { node_pools: Array.from({ length: 51 }, (_, n) => ({ ...ORDER.node_pools[0], name: `p${n}` })) },
    'node_pools',
  ],
  [
    'a machine type that cannot be stored',
    { node_pools: [{ ...ORDER.node_pools[0], machine_type: 'a\0b' }] },
    'node_pools[0].machine_type',
  ],
  ['a region that cannot be stored', { region: 'a\ud800b' }, 'region'],
  ['a negative size', { node_pools: [{ ...ORDER.node_pools[0], autoscale_min: -1 }] }, 'node_pools[0].autoscale_min'],
  ['a huge size', { node_pools: [{ ...ORDER.node_pools[0], autoscale_max: 2 ** 31 }] }, 'node_pools[0].autoscale_max'],
  ['an unknown field', { organization_id: 'x' }, 'organization_id'],
  [
    'a window that is no time',
    { maintenance: { begin: '990000+0000', end: '230000+0000', update_kubernetes: true, update_machine_image: true } },
    'maintenance',
  ],
])('%s is refused by its field', async (_, more, field) => {
  await using w = await clustersApi()
  const answer = await send(w, w.owner, 'POST', w.path, { ...ORDER, ...more })
  expect(answer.statusCode).toBe(400)
  expect(
    answer
      .json<Problem>()
      .errors?.map((error) => error.field)
      .join(),
  ).toContain(field)
})

test('the history names who asked, and operations and syncs are part of it', async () => {
  await using w = await clustersApi()
  const { id } = await w.create(w.owner)
  const operated = await send(w, w.member, 'POST', `${w.path}/${id}:operate`, { operation: 'reconcile' })
  expect(operated.json()).toMatchObject({ generation: 2, operation: { kind: 'reconcile' } })
  const synced = await send(w, w.admin, 'POST', `${w.path}/${id}:sync`)
  expect([synced.statusCode, synced.json<ClusterView>().generation]).toEqual([202, 2])
  const events = (await send(w, w.viewer, 'GET', `${w.path}/${id}/events`)).json<{ items: ClusterEventView[] }>().items
  expect(events.map(({ type, actor, message }) => [type, actor, message])).toEqual([
    ['sync_requested', 'an admin', 'asked for by hand'],
    ['sync_requested', 'member@example.test', 'reconcile asked for'],
    ['sync_requested', 'owner@example.test', 'ordered'],
  ])
  const page = await send(w, w.viewer, 'GET', `${w.path}/${id}/events?limit=2`)
  const { next_cursor } = page.json<{ next_cursor: string }>()
  const rest = await send(w, w.viewer, 'GET', `${w.path}/${id}/events?limit=2&cursor=${next_cursor}`)
  expect(rest.json<{ items: ClusterEventView[] }>().items.map(({ id: event }) => event)).toEqual([events[2]?.id])
})

test.each(['garbage', Buffer.from('["a","b"]').toString('base64url'), Buffer.from('["1e9"]').toString('base64url')])(
  'a cursor that no list gave out is refused: %s',
  async (cursor) => {
    await using w = await clustersApi()
    const { id } = await w.create(w.owner)
    for (const url of [w.path, '/api/v1/clusters', `${w.path}/${id}/events`, `${w.path}/${id}/apps`]) {
      const answer = await send(w, w.owner, 'GET', `${url}?cursor=${cursor}`)
      expect([url, answer.statusCode, answer.json<Problem>().errors?.[0]?.field]).toEqual([url, 400, 'cursor'])
    }
  },
)

test.each(['x', '00000000-0000-4000-8000-000000000000', "'; drop table tenant.clusters; --", '%00'])(
  'an id that is none finds nothing and breaks nothing: %s',
  async (id) => {
    await using w = await clustersApi()
    const part = encodeURIComponent(id)
    for (const url of [`${w.path}/${part}`, `${w.path}/${part}/events`, `/api/v1/clusters/${part}`]) {
      const answer = await send(w, w.admin, 'GET', url)
      expect([url, [400, 404].includes(answer.statusCode)]).toEqual([url, true])
    }
    const elsewhere = await send(w, w.admin, 'POST', `/api/v1/organizations/${part}/clusters`, ORDER)
    expect([400, 404]).toContain(elsewhere.statusCode)
  },
)
