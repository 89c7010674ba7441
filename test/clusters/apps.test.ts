import { afterAll, beforeAll, expect, test } from 'vitest'
import { statusOf } from '../../src/api/failures.ts'
import { clusterApps, openApps, type Apps } from '../../src/domains/apps/usecases/index.ts'
import { APPS_QUEUE } from '../../src/domains/apps/queue.ts'
import { clusterDirectory } from '../../src/domains/clusters/store/index.ts'
import { openClusters, type Clusters } from '../../src/domains/clusters/usecases/index.ts'
import { userDirectory } from '../../src/identity/index.ts'
import { failureOf, systemClock } from '../../src/kernel/index.ts'
import { asUser, PostgresQueue, type Actor } from '../../src/store/index.ts'
import { CHART, registry } from '../apps/store/world.ts'
import { clustersWorld, codeOf, fieldsOf, order, type ClustersWorld } from './world.ts'

let world: ClustersWorld
let apps: Apps
let clusters: Clusters
let appsQueue: PostgresQueue
let templateId: string

beforeAll(async () => {
  world = await clustersWorld()
  const { pool, queue, database, admin } = world
  appsQueue = new PostgresQueue({ pool: database.openQueuePool(), name: APPS_QUEUE })
  apps = openApps({
    pool,
    queue: appsQueue,
    charts: registry(),
    users: userDirectory,
    clusters: clusterDirectory,
    ingressClass: 'nginx',
    clock: systemClock,
    random: Math.random,
  })
  clusters = openClusters({ pool, queue, apps: clusterApps({ queue: appsQueue }), clock: systemClock })
  const { id: productId } = await apps.createProduct(admin, { name: 'Hello' })
  templateId = (await apps.publishTemplate(admin, { productId, ...CHART, canonical: true })).id
})
afterAll(async () => {
  appsQueue.close()
  await world[Symbol.asyncDispose]()
})

let made = 0
const newCluster = async (): Promise<string> =>
  (await clusters.createCluster(world.ann, world.acme, order({ name: `c-${++made}` }))).id

const orderIn = (clusterId: string, by: Actor & { readonly userId: string } = world.mia, actor: Actor = by) =>
  apps.createDeployment(actor, { userId: by.userId, templateId, clusterId, domainname: `app-${++made}.example.org` })

const appsLeft = async (id: string) => (await world.rows.load(id))?.appsLeft

test('owners and members of its organization order into a cluster, and nobody else', async () => {
  const { ann, mia, vic, bob, admin } = world
  const id = await newCluster()
  const refused = { cluster_id: expect.stringContaining('is no cluster of an organization') }
  for (const person of [vic, bob]) {
    expect(await fieldsOf(orderIn(id, person))).toEqual(refused)
    expect(await fieldsOf(orderIn(id, person, admin))).toEqual(refused)
  }
  expect(await fieldsOf(orderIn('not-an-id'))).toEqual(refused)
  const listed = await orderIn(id, mia)
  expect([listed.clusterId, listed.clusterName]).toEqual([id, (await clusters.getCluster(ann, world.acme, id)).name])
  expect((await orderIn(id, mia, admin)).clusterId).toBe(id)
  expect((await apps.listDeployments(admin, { clusterId: id, limit: 10 })).items).toHaveLength(2)
  expect(
    (await apps.previewCreate(mia, { userId: mia.userId, templateId, clusterId: id, domainname: 'p.example.org' }))
      .after,
  ).toMatchObject({ deployment: { clusterId: id } })
})

test('the database refuses what the use cases would: a foreign cluster, and a move', async () => {
  const { pool, mia, bob } = world
  const id = await newCluster()
  const { id: deploymentId } = await orderIn(id)
  const move = asUser(pool, mia, (tx) =>
    tx.query('update caelus.deployment set cluster_id = null where id = $1', [deploymentId]),
  )
  await expect(move).rejects.toThrow('never changes')
  const insert = asUser(pool, bob, (tx) =>
    tx.query(
      `insert into caelus.deployment (deployment_uid, namespace_name, release_name, user_id, domainname, desired_template_id, cluster_id)
       values ('x', 'x', 'x', $1, 'x.example.org', $2, $3)`,
      [bob.userId, templateId, id],
    ),
  )
  await expect(insert).rejects.toThrow('has no cluster')
})

test('a cluster with apps is not deleted, whoever they belong to; with them it is, and they go first', async () => {
  const { ann, mia, acme, admin } = world
  const id = await newCluster()
  const app = await orderIn(id, mia)
  const refusal = clusters.deleteCluster(ann, acme, id)
  await expect(refusal).rejects.toMatchObject({ failure: { code: 'ClusterInUse' } })
  await expect(refusal).rejects.toThrow(app.deploymentUid)
  expect(await refusal.catch((error: unknown) => statusOf(failureOf(error)))).toBe(409)
  expect((await apps.getDeployment(mia, { id: app.id })).deletedAt).toBeNull()
  expect((await clusters.getCluster(ann, acme, id)).deletedAt).toBeNull()

  await clusters.deleteCluster(ann, acme, id, { withApps: true })
  expect((await apps.getDeployment(mia, { id: app.id })).status).toBe('deleting')
  expect((await apps.listJobs(admin, { deploymentId: app.id, limit: 1 })).items).toMatchObject([{ reason: 'delete' }])
  expect(await appsLeft(id)).toBe(1)
  expect(await fieldsOf(orderIn(id, mia))).toHaveProperty('cluster_id')
  // The rights of the platform end with the removal.
  expect(await codeOf(apps.getDeployment(ann, { id: app.id }))).toBe('NotFound')

  const claimed = await drained(id)
  await world.database.pool.query(`update caelus.deployment set status = 'deleted' where id = $1`, [app.id])
  expect(await appsLeft(id)).toBe(0)
  expect(await claimed()).toEqual([id])
})

/** Runs what is due in the queue of clusters; answers with how to ask which of them is due again. */
async function drained(id: string): Promise<() => Promise<string[]>> {
  const due = async () => {
    const rows = await world.database.pool.query<{ id: string }>(
      `select id from caelus.job where queue = 'clusters' and id = $1 and due_at <= now()`,
      [id],
    )
    return rows.map((row) => row.id)
  }
  await world.database.pool.query(`delete from caelus.job where queue = 'clusters' and id = $1`, [id])
  expect(await due()).toEqual([])
  return due
}

test('apps hold a cluster until it has not answered for ten minutes', async () => {
  const { ann, mia, acme, database } = world
  const id = await newCluster()
  const [lost, blocked, brief] = [await orderIn(id, mia), await orderIn(id, mia), await orderIn(id, mia)]
  await clusters.deleteCluster(ann, acme, id, { withApps: true })
  const failure = (code: string) => ({ code, message: '', whoseMove: 'platform', retryable: true, nextStep: '' })
  const say = (app: string, code: string) =>
    database.pool.query('update caelus.deployment set last_error = $2 where id = $1', [app, failure(code)])
  const earlier = async (column: string, table: string, row: string) =>
    await database.pool.query(`update ${table} set ${column} = ${column} - interval '11 minutes' where id = $1`, [row])
  const unreachableEarlier = (app: string) => earlier('unreachable_since', 'caelus.deployment', app)
  await say(lost.id, 'ClusterUnreachable')
  await unreachableEarlier(lost.id)
  await say(lost.id, 'ClusterUnreachable')
  await say(blocked.id, 'NamespaceBlocked')
  await say(brief.id, 'ClusterUnreachable')
  expect(await appsLeft(id)).toBe(3)
  await database.pool.query('alter table tenant.clusters disable trigger cluster_is_guarded')
  await earlier('deleted', 'tenant.clusters', id)
  await database.pool.query('alter table tenant.clusters enable trigger cluster_is_guarded')
  expect(await appsLeft(id)).toBe(2)
  await unreachableEarlier(brief.id)
  expect(await appsLeft(id)).toBe(1)
  // It has answered in between.
  await say(brief.id, 'NamespaceBlocked')
  await say(brief.id, 'ClusterUnreachable')
  expect(await appsLeft(id)).toBe(2)
})

test('everyone in the organization sees the apps in a cluster; more of them than name, owner and status is for their users', async () => {
  const { ann, mia, vic, bob, admin, acme, beta, database } = world
  const id = await newCluster()
  const [older, newer] = [await orderIn(id, mia), await orderIn(id, ann)]
  await database.pool.query(`update caelus.deployment set status = 'ready' where id = $1`, [older.id])
  const listed = async (who: Actor, limit = 10, after?: readonly string[]) =>
    await clusters.listApps(who, acme, id, { limit, after })
  const since = expect.any(Number) as number
  const app = (of: typeof older, owner: string | null, status: string, by?: string) => ({
    name: of.deploymentUid,
    owner,
    status,
    statusSince: since,
    deployment: by === undefined ? null : { id: of.id, userId: by },
  })
  const own = { mia: mia.userId, ann: ann.userId }
  for (const [who, sees] of [
    [ann, { ann: own.ann }],
    [mia, { mia: own.mia }],
    [vic, {}],
    [admin, own],
  ] as const) {
    const seen: { readonly ann?: string; readonly mia?: string } = sees
    expect((await listed(who)).items).toEqual([
      app(newer, 'ann@example.org', 'pending', seen.ann),
      app(older, 'mia@example.org', 'ready', seen.mia),
    ])
  }
  expect(await codeOf(listed(bob))).toBe('NotFound')
  expect(await codeOf(clusters.listApps(bob, beta, id, { limit: 10 }))).toBe('NotFound')
  // The rights of the platform end with the list.
  expect(await codeOf(apps.getDeployment(ann, { id: older.id }))).toBe('NotFound')

  const first = await listed(vic, 1)
  expect(first.items.map(({ name }) => name)).toEqual([newer.deploymentUid])
  const second = await listed(vic, 1, first.next ?? [])
  expect([second.items.map(({ name }) => name), second.next]).toEqual([[older.deploymentUid], null])

  await database.pool.query(`delete from tenant.organization_members where organization_id = $1 and user_id = $2`, [
    acme,
    mia.userId,
  ])
  expect((await listed(vic)).items[1]).toEqual(app(older, null, 'ready'))
  expect((await listed(admin)).items[1]).toEqual(app(older, 'mia@example.org', 'ready', mia.userId))
  await database.pool.query(
    `insert into tenant.organization_members (organization_id, user_id, role) values ($1, $2, 'member')`,
    [acme, mia.userId],
  )
  await database.pool.query(`update caelus.deployment set status = 'deleted', deleted_at = now() where id = $1`, [
    newer.id,
  ])
  expect((await listed(vic)).items.map(({ name }) => name)).toEqual([older.deploymentUid])
})

test('an order and the deletion of its cluster cannot pass each other', async () => {
  const { ann, mia, acme } = world
  for (let times = 0; times < 5; times++) {
    const id = await newCluster()
    const [ordered, deleted] = await Promise.all([
      orderIn(id, mia).then(
        () => true,
        () => false,
      ),
      clusters.deleteCluster(ann, acme, id).then(
        () => true,
        () => false,
      ),
    ])
    expect([ordered, deleted].filter(Boolean)).toHaveLength(1)
  }
})
