import { expect, test } from 'vitest'
import { noteAccessOfWorker } from '../../src/domains/clusters/store/index.ts'
import { asUser, type Actor, type Runner } from '../../src/store/index.ts'
import { clustersWorld, order, type ClustersWorld } from './world.ts'

/** The code of PostgreSQL that a statement ended in, or the number of rows that it returned or changed. */
const outcome = (on: Runner, statement: string): Promise<string | number> =>
  on.query(statement).then(
    (rows) => rows.length,
    (error: { code?: string }) => error.code ?? 'no code',
  )

const DENIED = '42501'

/** Two clusters: one of Acme, one of Beta. */
async function stage(): Promise<
  ClustersWorld & { readonly own: string; readonly foreign: string; readonly pool0: string }
> {
  const w = await clustersWorld()
  const own = await w.clusters.createCluster(w.ann, w.acme, order())
  const foreign = await w.clusters.createCluster(w.bob, w.beta, order())
  await w.clusters.setLimits(w.admin, w.beta, { maxClusters: 5, maxNodes: 9, regions: null, machineTypes: null })
  return { ...w, own: own.id, foreign: foreign.id, pool0: foreign.nodePools[0]?.id ?? '' }
}

test('a worker reads clusters of all organizations, and writes their state and history', async () => {
  await using w = await stage()
  const worker = w.database.openPool({ role: 'caelus_worker' })
  for (const table of ['clusters', 'node_pools', 'cluster_sync']) {
    expect([table, await outcome(worker, `select * from tenant.${table}`)]).toEqual([table, 2])
  }
  const state = `synced_generation = 1, synced = now(), sync_error = 'x', sync_attempts = 1, sync_last_attempt = now(),
    shoot_status = 'ready', shoot_status_message = 'x', shoot_status_updated = now(), shoot = '{}', shoot_retries = 1,
    closed_operation = 'x', sync_failure = null, shoot_status_failure = null`
  expect(await outcome(worker, `update tenant.cluster_sync set ${state} returning cluster_id`)).toBe(2)
  const event = `insert into tenant.cluster_events (cluster_id, organization_id, event_type, actor)
    values ('${w.own}', '${w.acme}', 'sync_claimed', 'worker')`
  expect(await outcome(worker, event)).toBe(0)
  expect(await outcome(worker, `insert into tenant.cluster_watch (instance) values ('worker')`)).toBe(0)
  expect(await outcome(worker, `delete from tenant.cluster_events where created < now() - interval '1 day'`)).toBe(0)
})

test('a worker changes nothing of what people ordered, and reads neither limits nor people', async () => {
  await using w = await stage()
  const worker = w.database.openPool({ role: 'caelus_worker' })
  const columns = await w.database.pool.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'tenant' and is_identity = 'NO' and table_name in ('clusters', 'node_pools', 'organizations', 'organization_members',
       'organization_invitations', 'organization_limits', 'cluster_events')
       or table_schema = 'tenant' and table_name = 'cluster_sync'
         and column_name in ('cluster_id', 'organization_id', 'name', 'generation', 'requested_by')`,
  )
  expect(columns.length).toBeGreaterThan(40)
  for (const { table, column } of columns) {
    const statement = `update tenant.${table} set ${column} = ${column}`
    expect([statement, await outcome(worker, statement)]).toEqual([statement, DENIED])
  }
  for (const statement of [
    `insert into tenant.clusters (organization_id, name, region, kubernetes_version) values ('${w.acme}', 'x', 'y', '1.34')`,
    `insert into tenant.node_pools (cluster_id, organization_id, name, machine_type, autoscale_min, autoscale_max)
       values ('${w.own}', '${w.acme}', 'x', 'y', 1, 1)`,
    `insert into tenant.cluster_sync (cluster_id, organization_id, name) values ('${w.own}', '${w.acme}', 'x')`,
    `insert into tenant.organization_limits (organization_id) values ('${w.acme}')`,
    'delete from tenant.clusters',
    'delete from tenant.node_pools',
    'delete from tenant.cluster_sync',
    'delete from tenant.organization_limits',
    'delete from tenant.organizations',
    'truncate tenant.clusters cascade',
    'truncate tenant.cluster_events',
    'select * from tenant.cluster_events',
    'select message from tenant.cluster_events',
    'select * from tenant.organizations',
    'select * from tenant.organization_members',
    'select * from tenant.organization_limits',
    `select tenant.request_sync('${w.own}', 'x')`,
    `select tenant.lock_orders('${w.acme}')`,
    `select * from tenant.members_of('${w.acme}')`,
    'select * from caelus.audit',
    'alter table tenant.clusters disable row level security',
    'drop trigger cluster_is_changed on tenant.clusters',
  ]) {
    expect([statement, await outcome(worker, statement)]).toEqual([statement, DENIED])
  }
  expect((await w.clusters.getCluster(w.ann, w.acme, w.own)).sync.generation).toBe(1)
})

test('of the audit, a worker writes that it asks for a kubeconfig, and nothing else', async () => {
  await using w = await stage()
  const worker = w.database.openPool({ role: 'caelus_worker' })
  const rows = () =>
    w.database.pool.query(
      `select actor, action, object_kind as kind, object_id as object, tenant, detail, before_sha256, after_sha256
       from caelus.audit order by id`,
    )
  const before = await rows()
  const of = (id: string, instance: string, seconds: number | null): string =>
    `select tenant.note_cluster_access('${id}', ${instance}, ${seconds})`
  for (const [statement, code] of [
    [of(w.acme, `'vm-1'`, 600), 'P0002'],
    [of(w.own, `''`, 600), '22023'],
    [of(w.own, `null`, 600), '22023'],
    [of(w.own, `repeat('x', 301)`, 600), '22023'],
    [of(w.own, `e'vm-1\\u001b[2J'`, 600), '22023'],
    [of(w.own, `'vm-1'`, 0), '22023'],
    [of(w.own, `'vm-1'`, 86_401), '22023'],
    [of(w.own, `'vm-1'`, null), '22023'],
    ['select * from caelus.audit', DENIED],
    ['select id from caelus.audit', DENIED],
    [`insert into caelus.audit (actor, action, object_kind, object_id) values ('x', 'y', 'Cluster', 'z')`, DENIED],
    [
      `insert into caelus.audit (actor, action, object_kind, object_id, tenant, detail)
       values ('apps worker vm-1', 'kubeconfig for apps', 'Cluster', '${w.own}', '${w.acme}', '{"seconds": 600}')`,
      DENIED,
    ],
    [`update caelus.audit set actor = 'x'`, DENIED],
    ['delete from caelus.audit', DENIED],
    ['truncate caelus.audit', DENIED],
  ] as const) {
    expect([statement, await outcome(worker, statement)]).toEqual([statement, code])
  }
  expect(await rows()).toEqual(before)

  // Also under the id of a person, it is a worker who asked.
  for (const instance of ['vm-1', w.ann.userId]) {
    const access = { clusterId: w.own, organizationId: w.beta, seconds: 3600 }
    await noteAccessOfWorker(worker, instance, access)
  }
  const noted = (instance: string) => ({
    actor: `apps worker ${instance}`,
    action: 'kubeconfig for apps',
    kind: 'Cluster',
    object: w.own,
    tenant: w.acme,
    detail: { seconds: 3600 },
    before_sha256: null,
    after_sha256: null,
  })
  expect((await rows()).slice(before.length)).toEqual([noted('vm-1'), noted(w.ann.userId)])
  const asApi = asUser(w.pool, w.ann, (tx) => outcome(tx, of(w.own, `'vm-1'`, 600))).catch(String)
  expect(await asApi).toBe(DENIED)
})

/** Statements of an API session about the cluster of Beta, with what they are to find or change: nothing. */
const intrusions = ({ foreign, beta, pool0 }: { foreign: string; beta: string; pool0: string }): string[] => [
  `select from tenant.clusters where id = '${foreign}'`,
  `select from tenant.node_pools where cluster_id = '${foreign}'`,
  `select from tenant.cluster_sync where cluster_id = '${foreign}'`,
  `select from tenant.cluster_events where cluster_id = '${foreign}'`,
  `select from tenant.cluster_claims where cluster_id = '${foreign}'`,
  `select from tenant.organization_limits where organization_id = '${beta}'`,
  `select from tenant.clusters where id = '${foreign}' for update`,
  `update tenant.clusters set name = 'mine' where id = '${foreign}' returning 1`,
  `update tenant.clusters set deleted = now() where organization_id = '${beta}' returning 1`,
  `update tenant.node_pools set autoscale_max = 100 where id = '${pool0}' returning 1`,
  `delete from tenant.node_pools where id = '${pool0}' returning 1`,
  `update tenant.organization_limits set max_clusters = null where organization_id = '${beta}' returning 1`,
  `select from (select tenant.lock_orders('${beta}') as held) l where held`,
  `select from tenant.members_of('${beta}')`,
]

test.each(['ann', 'mia', 'vic'] as const)(
  '%s sees and changes nothing of another organization, by any statement',
  async (name) => {
    await using w = await stage()
    const actor: Actor = w[name]
    const as = (statement: string): Promise<string | number> =>
      asUser(w.pool, actor, (tx) => outcome(tx, statement)).catch(String)
    for (const statement of intrusions(w)) expect([statement, await as(statement)]).toEqual([statement, 0])
    const pool = (cluster: string, organization: string): string =>
      `insert into tenant.node_pools (cluster_id, organization_id, name, machine_type, autoscale_min, autoscale_max)
       values ('${cluster}', '${organization}', 'x', 'y', 1, 1)`
    const event = (type: string, actorId: string, cluster = w.foreign, organization = w.beta): string =>
      `insert into tenant.cluster_events (cluster_id, organization_id, event_type, actor)
       values ('${cluster}', '${organization}', '${type}', '${actorId}')`
    for (const statement of [
      `insert into tenant.clusters (organization_id, name, region, kubernetes_version) values ('${w.beta}', 'x', 'y', '1.34')`,
      `update tenant.clusters set organization_id = '${w.beta}' where id = '${w.own}'`,
      `update tenant.clusters set region = 'elsewhere' where id = '${w.own}'`,
      `update tenant.cluster_sync set shoot_status = 'ready'`,
      `update tenant.cluster_sync set generation = 99`,
      `delete from tenant.clusters`,
      `delete from tenant.cluster_events`,
      `insert into tenant.organization_limits (organization_id, max_clusters) values ('${w.acme}', 99)`,
      `insert into tenant.cluster_watch (instance) values ('x')`,
      `select tenant.request_sync('${w.foreign}', 'x')`,
      `select tenant.cluster_apps_left('${w.foreign}')`,
      `select tenant.cluster_apps_left(gen_random_uuid())`,
      pool(w.foreign, w.beta),
      event('sync_requested', actor.userId ?? ''),
      event('sync_requested', w.bob.userId, w.own, w.acme),
      event('status_ready', actor.userId ?? '', w.own, w.acme),
      `select caelus.wake('clusters', 'Cluster', '${w.foreign}', '${w.beta}', 'changed')`,
    ]) {
      expect([statement, await as(statement)]).toEqual([statement, DENIED])
    }
    // The reference of a pool is to a cluster of its own organization.
    if (name !== 'vic') expect(await as(pool(w.foreign, w.acme))).toBe('23503')
    const after = await w.clusters.getCluster(w.bob, w.beta, w.foreign)
    expect([after.name, after.deletedAt, after.sync.generation]).toEqual(['one', null, 1])
  },
)

test('a viewer sees everything of their organization and changes nothing', async () => {
  await using w = await stage()
  const as = (statement: string): Promise<string | number> =>
    asUser(w.pool, w.vic, (tx) => outcome(tx, statement)).catch(String)
  for (const table of ['clusters', 'node_pools', 'cluster_sync', 'cluster_events', 'cluster_claims']) {
    expect([table, await as(`select from tenant.${table}`)]).toEqual([table, 1])
  }
  expect(await as(`update tenant.clusters set name = 'x' returning 1`)).toBe(0)
  expect(await as(`update tenant.node_pools set autoscale_max = 9 returning 1`)).toBe(0)
  expect(await as(`delete from tenant.node_pools returning 1`)).toBe(0)
  expect(
    await as(
      `insert into tenant.clusters (organization_id, name, region, kubernetes_version) values ('${w.acme}', 'x', 'y', '1.34')`,
    ),
  ).toBe(DENIED)
})

test('the apps left in a cluster are counted for its organization, admins and workers', async () => {
  await using w = await stage()
  const count = `select tenant.cluster_apps_left('${w.own}')`
  for (const actor of [w.ann, w.mia, w.vic, w.admin])
    expect(await asUser(w.pool, actor, (tx) => outcome(tx, count))).toBe(1)
  expect(await outcome(w.database.openPool({ role: 'caelus_worker' }), count)).toBe(1)
  expect(await asUser(w.pool, w.bob, (tx) => outcome(tx, count)).catch(String)).toBe(DENIED)
})

test('a session without a caller sees nothing', async () => {
  await using w = await stage()
  expect(await outcome(w.pool, `select tenant.cluster_apps_left('${w.own}')`)).toBe(DENIED)
  for (const table of [
    'clusters',
    'node_pools',
    'cluster_sync',
    'cluster_events',
    'cluster_claims',
    'organization_limits',
  ]) {
    expect([table, await outcome(w.pool, `select from tenant.${table}`)]).toEqual([table, 0])
  }
})

test('a deletion is not taken back, whoever tries', async () => {
  await using w = await stage()
  await w.clusters.deleteCluster(w.ann, w.acme, w.own)
  for (const actor of [w.ann, w.admin]) {
    const revived = asUser(w.pool, actor, (tx) =>
      tx.query(`update tenant.clusters set deleted = null where id = '${w.own}'`),
    )
    await expect(revived).rejects.toMatchObject({
      code: DENIED,
      message: expect.stringContaining('is being deleted') as string,
    })
  }
})
