import { expect, test } from 'vitest'
import { clusterKey } from '../../src/domains/clusters/queue.ts'
import { auditOf, listener } from '../../src/store/index.ts'
import { asUser } from '../../src/store/index.ts'
import { waitingForLocks } from '../support/postgres.ts'
import { clustersWorld, codeOf, fieldsOf, order, POOL, type ClustersWorld } from './world.ts'

const NO_LIMITS = { maxClusters: null, maxNodes: null, regions: null, machineTypes: null }

const eventsOf = async (w: ClustersWorld, id: string): Promise<string[]> =>
  (await w.clusters.listEvents(w.admin, w.acme, id, { limit: 50 })).items
    .toReversed()
    .map(({ type, actor, message }) => `${type} by ${actor}: ${message}`)

test('an order is a row, a word in the audit, an event and a wake, for its organization', async () => {
  await using w = await clustersWorld()
  const cluster = await w.clusters.createCluster(w.ann, w.acme, order())
  expect(cluster).toMatchObject({
    organizationId: w.acme,
    organizationName: 'Acme',
    ...order({ nodePools: [expect.objectContaining(POOL)] as never }),
    isHibernated: false,
    maintenance: null,
    operation: null,
    deletedAt: null,
    sync: { generation: 1, syncedGeneration: 0, syncedAt: null, status: 'pending', attempts: 0, shoot: null },
  })
  expect(await w.queue.claim('w', 5)).toMatchObject([
    { key: clusterKey(cluster.id), reason: 'created', tenant: w.acme },
  ])
  expect(await auditOf(w.database.pool, clusterKey(cluster.id))).toMatchObject([
    { actor: w.ann.userId, action: 'created', detail: { name: 'one', region: 'local' }, beforeSha256: undefined },
  ])
  expect(await eventsOf(w, cluster.id)).toEqual(['sync_requested by ann@example.org: ordered'])
})

test('a change, whatever it touches, is one generation, one event, one wake and one word with before and after', async () => {
  await using w = await clustersWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  const changed = await w.clusters.updateCluster(w.mia, w.acme, id, {
    name: 'two',
    kubernetesVersion: '1.35',
    isHibernated: true,
    maintenance: { begin: '220000+0000', end: '230000+0000', updateKubernetes: true, updateMachineImage: false },
    nodePools: [
      { ...POOL, autoscaleMax: 5 },
      { ...POOL, name: 'more' },
    ],
  })
  expect(changed).toMatchObject({
    name: 'two',
    isHibernated: true,
    maintenance: { updateKubernetes: true },
    sync: { generation: 2 },
  })
  expect(changed.nodePools.map(({ name, autoscaleMax }) => [name, autoscaleMax])).toEqual([
    ['default', 5],
    ['more', 3],
  ])
  const [last] = await auditOf(w.database.pool, clusterKey(id))
  expect(last).toMatchObject({
    actor: w.mia.userId,
    action: 'changed',
    detail: { generation: 2, changed: 'name, kubernetes_version, hibernated, maintenance, node_pools' },
  })
  expect(last?.beforeSha256).toBeDefined()
  expect(last?.afterSha256).not.toBe(last?.beforeSha256)
  expect(await eventsOf(w, id)).toHaveLength(2)
})

test('a change that changes nothing writes nothing', async () => {
  await using w = await clustersWorld()
  const { id, nodePools } = await w.clusters.createCluster(w.ann, w.acme, order())
  const before = await w.rows.load(id)
  for (const change of [{}, { name: 'one' }, { nodePools: [POOL] }, { maintenance: null }, { region: 'local' }]) {
    await w.clusters.updateCluster(w.ann, w.acme, id, change)
  }
  await w.clusters.updateNodePool(w.ann, w.acme, id, nodePools[0]?.id ?? '', { autoscaleMax: 3 })
  expect(await w.rows.load(id)).toEqual(before)
  expect(await auditOf(w.database.pool, clusterKey(id))).toHaveLength(1)
})

test('pools that stay keep their ids when all of them are written, and those not named are removed', async () => {
  await using w = await clustersWorld()
  const pools = [POOL, { ...POOL, name: 'b' }, { ...POOL, name: 'c' }]
  const before = await w.clusters.createCluster(w.ann, w.acme, order({ nodePools: pools }))
  const after = await w.clusters.updateCluster(w.ann, w.acme, before.id, {
    nodePools: [
      { ...POOL, name: 'c', autoscaleMax: 9 },
      { ...POOL, name: 'd' },
    ],
  })
  const idOf = (cluster: typeof before, name: string) => cluster.nodePools.find((pool) => pool.name === name)?.id
  expect(after.nodePools.map(({ name }) => name)).toEqual(['c', 'd'])
  expect(idOf(after, 'c')).toBe(idOf(before, 'c'))
})

test('a change made on another generation is refused, node pools included', async () => {
  await using w = await clustersWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  const { id: pool } = await w.clusters.addNodePool(w.ann, w.acme, id, { ...POOL, name: 'b' }, { ifGeneration: 1 })
  const stale = { ifGeneration: 1 }
  for (const change of [
    () => w.clusters.updateCluster(w.ann, w.acme, id, { name: 'x' }, stale),
    () => w.clusters.deleteCluster(w.ann, w.acme, id, stale),
    () => w.clusters.addNodePool(w.ann, w.acme, id, { ...POOL, name: 'c' }, stale),
    () => w.clusters.updateNodePool(w.ann, w.acme, id, pool, { autoscaleMax: 4 }, stale),
    () => w.clusters.removeNodePool(w.ann, w.acme, id, pool, stale),
  ]) {
    expect(await codeOf(change())).toBe('ChangedMeanwhile')
  }
  await w.clusters.updateNodePool(w.ann, w.acme, id, pool, { autoscaleMax: 4 }, { ifGeneration: 2 })
  await w.clusters.removeNodePool(w.ann, w.acme, id, pool, { ifGeneration: 3 })
  expect((await w.clusters.getCluster(w.ann, w.acme, id)).sync.generation).toBe(4)
})

test('of two changes on one generation one succeeds, also when they are made at once', async () => {
  await using w = await clustersWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  const codes = await Promise.all(
    ['x', 'y'].map((name) => codeOf(w.clusters.updateCluster(w.ann, w.acme, id, { name }, { ifGeneration: 1 }))),
  )
  expect(codes.toSorted()).toEqual(['ChangedMeanwhile', 'succeeded'])
})

test('a name belongs to one living cluster of an organization, and is free once its deletion is asked for', async () => {
  await using w = await clustersWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  expect(await fieldsOf(w.clusters.createCluster(w.mia, w.acme, order()))).toHaveProperty('name')
  expect(await codeOf(w.clusters.createCluster(w.mia, w.acme, order()))).toBe('ClusterNameTaken')
  await w.clusters.createCluster(w.bob, w.beta, order())
  const other = await w.clusters.createCluster(w.ann, w.acme, order({ name: 'two' }))
  expect(await codeOf(w.clusters.updateCluster(w.ann, w.acme, other.id, { name: 'one' }))).toBe('ClusterNameTaken')
  await w.clusters.deleteCluster(w.ann, w.acme, id)
  expect((await w.clusters.createCluster(w.ann, w.acme, order())).id).not.toBe(id)
})

test('versions only go up, by one minor at a time, from what Gardener has', async () => {
  await using w = await clustersWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order({ kubernetesVersion: '1.34' }))
  const to = (kubernetesVersion: string) => codeOf(w.clusters.updateCluster(w.ann, w.acme, id, { kubernetesVersion }))
  const shoot = { namespace: 'n', name: 's', uid: 'u', kubernetesVersion: '1.34.3', isHibernated: false }
  await w.database.pool.query('update tenant.cluster_sync set shoot = $2 where cluster_id = $1', [id, shoot])
  expect([await to('1.33'), await to('1.36'), await to('2.34')]).toEqual(Array(3).fill('VersionRefused'))
  expect([await to('1.34.2'), await to('1.34.3'), await to('1.35')]).toEqual([
    'VersionRefused',
    'succeeded',
    'succeeded',
  ])
})

test('a version that Gardener refuses can be corrected, as long as there is no Shoot', async () => {
  await using w = await clustersWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order({ kubernetesVersion: '1.99' }))
  for (const kubernetesVersion of ['1.34', '1.30', '1.35']) {
    const { kubernetesVersion: saved } = await w.clusters.updateCluster(w.ann, w.acme, id, { kubernetesVersion })
    expect(saved).toBe(kubernetesVersion)
  }
})

test('limits hold for orders that are made at once', async () => {
  await using w = await clustersWorld()
  await w.clusters.setLimits(w.admin, w.acme, { ...NO_LIMITS, maxClusters: 3 })
  const codes = await Promise.all(
    Array.from({ length: 8 }, (_, n) => codeOf(w.clusters.createCluster(w.ann, w.acme, order({ name: `c${n}` })))),
  )
  expect(codes.filter((code) => code === 'succeeded')).toHaveLength(3)
  expect(codes.filter((code) => code === 'ClusterLimit')).toHaveLength(5)
  await w.clusters.setLimits(w.admin, w.acme, { ...NO_LIMITS, maxNodes: 12 })
  const { items } = await w.clusters.listClusters(w.ann, { limit: 5 })
  const grown = await Promise.all(
    items.map(({ id }) => codeOf(w.clusters.addNodePool(w.ann, w.acme, id, { ...POOL, name: 'more' }))),
  )
  expect(grown.toSorted()).toEqual(['ClusterLimit', 'ClusterLimit', 'succeeded'])
  expect(await w.clusters.getLimits(w.vic, w.acme)).toMatchObject({ clusters: 3, nodes: 12, maxNodes: 12 })
})

test('a limit below what is there blocks what grows, and nothing else', async () => {
  await using w = await clustersWorld()
  const { id, nodePools } = await w.clusters.createCluster(w.ann, w.acme, order())
  const limits = { maxClusters: 0, maxNodes: 1, regions: ['mars'], machineTypes: ['huge'] }
  await w.clusters.setLimits(w.admin, w.acme, limits)
  const pool = nodePools[0]?.id ?? ''
  await w.clusters.updateCluster(w.ann, w.acme, id, { name: 'renamed' })
  await w.clusters.updateNodePool(w.ann, w.acme, id, pool, { autoscaleMax: 2 })
  expect(await fieldsOf(w.clusters.updateNodePool(w.ann, w.acme, id, pool, { autoscaleMax: 3 }))).toEqual({
    autoscale_max: 'the node pools of Acme would have 3 nodes together, and the limit is 1',
  })
  expect(await fieldsOf(w.clusters.updateNodePool(w.ann, w.acme, id, pool, { machineType: 'x' }))).toEqual({
    machine_type: 'must be one of those that the organization may have: huge',
  })
  expect(await codeOf(w.clusters.createCluster(w.ann, w.acme, order({ name: 'x' })))).toBe('NotOffered')
})

test('limits are for admins to set, on the generation that they read', async () => {
  await using w = await clustersWorld()
  expect(await codeOf(w.clusters.setLimits(w.ann, w.acme, NO_LIMITS))).toBe('NotAllowed')
  expect(await w.clusters.getLimits(w.ann, w.acme)).toMatchObject({ ...NO_LIMITS, generation: 0 })
  await w.clusters.setLimits(w.admin, w.acme, { ...NO_LIMITS, maxNodes: 9 }, { ifGeneration: 0 })
  expect(await codeOf(w.clusters.setLimits(w.admin, w.acme, NO_LIMITS, { ifGeneration: 0 }))).toBe('ChangedMeanwhile')
  expect(await w.clusters.getLimits(w.ann, w.acme)).toMatchObject({ maxNodes: 9, generation: 1 })
})

test('a pool needs a name of its own and at least as many nodes at most as at least; the last one stays', async () => {
  await using w = await clustersWorld()
  const { id, nodePools } = await w.clusters.createCluster(w.ann, w.acme, order())
  const pool = nodePools[0]?.id ?? ''
  expect(await fieldsOf(w.clusters.addNodePool(w.ann, w.acme, id, POOL))).toHaveProperty('name')
  expect(await fieldsOf(w.clusters.updateNodePool(w.ann, w.acme, id, pool, { autoscaleMin: 4 }))).toHaveProperty(
    'autoscale_max',
  )
  expect(await fieldsOf(w.clusters.removeNodePool(w.ann, w.acme, id, pool))).toHaveProperty('pool_id')
  expect(await codeOf(w.clusters.removeNodePool(w.ann, w.acme, id, w.acme))).toBe('NotFound')
  const many = Array.from({ length: 50 }, (_, n) => ({ ...POOL, name: `p${n}` }))
  await w.clusters.updateCluster(w.ann, w.acme, id, { nodePools: many })
  expect(await codeOf(w.clusters.addNodePool(w.ann, w.acme, id, { ...POOL, name: 'p50' }))).toBe('InvalidRequest')
})

test('a cluster that is being deleted is changed by nobody, and deleting it again changes nothing', async () => {
  await using w = await clustersWorld()
  const { id, nodePools } = await w.clusters.createCluster(w.ann, w.acme, order())
  const gone = await w.clusters.deleteCluster(w.mia, w.acme, id)
  expect([gone.sync.generation, gone.deletedAt === null]).toEqual([2, false])
  for (const change of [
    () => w.clusters.updateCluster(w.ann, w.acme, id, { name: 'x' }),
    () => w.clusters.operateCluster(w.ann, w.acme, id, 'rotate-credentials-start'),
    () => w.clusters.addNodePool(w.ann, w.acme, id, { ...POOL, name: 'b' }),
    () => w.clusters.updateNodePool(w.ann, w.acme, id, nodePools[0]?.id ?? '', { autoscaleMax: 9 }),
  ]) {
    expect(await codeOf(change())).toBe('ClusterBeingDeleted')
  }
  expect((await w.clusters.deleteCluster(w.ann, w.acme, id)).sync.generation).toBe(2)
  expect(await w.queue.claim('w', 5)).toMatchObject([{ key: clusterKey(id), reason: 'deleted' }])
  expect(await eventsOf(w, id)).toEqual([
    'sync_requested by ann@example.org: ordered',
    'sync_requested by mia@example.org: deletion asked for',
  ])
})

test('Gardener may be asked to try a deletion again', async () => {
  await using w = await clustersWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  await w.clusters.deleteCluster(w.ann, w.acme, id)
  expect(await w.clusters.operateCluster(w.mia, w.acme, id, 'retry')).toMatchObject({ operation: { kind: 'retry' } })
  expect((await eventsOf(w, id)).at(-1)).toBe('sync_requested by mia@example.org: retry asked for')
})

test('an organization deletes before it changes, and takes turns with the others as before', async () => {
  await using w = await clustersWorld()
  const named = async (actor: typeof w.ann, organization: string, name: string) =>
    (await w.clusters.createCluster(actor, organization, order({ name }))).id
  const old = await named(w.ann, w.acme, 'old')
  const [first] = await w.queue.claim('w', 1)
  if (first !== undefined) await w.queue.finish(first, { then: 'forget' })
  const a1 = await named(w.ann, w.acme, 'a1')
  const a2 = await named(w.ann, w.acme, 'a2')
  const b1 = await named(w.bob, w.beta, 'b1')
  const b2 = await named(w.bob, w.beta, 'b2')
  const b3 = await named(w.bob, w.beta, 'b3')
  await w.clusters.deleteCluster(w.ann, w.acme, old)
  const claims = await w.queue.claim('w', 10)
  expect(claims.map(({ key }) => key.id)).toEqual([b1, old, a2, b2, a1, b3])
})

test('an organization with clusters is not deleted before they are gone', async () => {
  await using w = await clustersWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  const remove = () => codeOf(w.identity.deleteOrganization(w.ann, w.acme))
  expect(await remove()).toBe('OrganizationInUse')
  await w.clusters.deleteCluster(w.ann, w.acme, id)
  expect(await remove()).toBe('OrganizationInUse')
  const [claim] = await w.queue.claim('w', 1)
  await w.rows.write(id, claim?.fence ?? 0, { status: 'deleted' }, [])
  expect(await remove()).toBe('succeeded')
  expect(await codeOf(w.clusters.getCluster(w.ann, w.acme, id))).toBe('NotFound')
})

test('an order and the deletion of its organization exclude each other', async () => {
  await using w = await clustersWorld()
  const other = w.database.openPool({ role: 'caelus_api' })
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
  const deletion = asUser(other, w.ann, async (tx) => {
    await tx.query('select from tenant.organizations where id = $1 for update', [w.acme])
    await tx.query('update tenant.organizations set deleted_at = now() where id = $1', [w.acme])
    await mayCommit
  })
  await expect
    .poll(() =>
      w.database.pool.query(
        `select from pg_locks where mode = 'RowExclusiveLock' and relation = 'tenant.organizations'::regclass`,
      ),
    )
    .not.toEqual([])
  const ordered = codeOf(w.clusters.createCluster(w.mia, w.acme, order()))
  await expect.poll(() => waitingForLocks(w.database.pool)).toBeGreaterThan(0)
  commit()
  await deletion
  expect(await ordered).toBe('NotFound')
  expect(await w.database.pool.query('select from tenant.clusters')).toEqual([])
})

test('a step of a rotation is refused at once where Gardener would refuse it', async () => {
  await using w = await clustersWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  const ask = (step: 'start' | 'complete') =>
    codeOf(w.clusters.operateCluster(w.ann, w.acme, id, `rotate-credentials-${step}`))
  const both = async () => [await ask('start'), await ask('complete')]
  const seen = (operation: object | null, rotation: object = {}) =>
    w.database.pool.query(`update tenant.cluster_sync set shoot = $2, ${CLOSED} where cluster_id = $1`, [
      id,
      { namespace: 'n', name: 's', uid: 'u', kubernetesVersion: '1.34.3', isHibernated: false, operation, rotation },
    ])
  expect(await both()).toEqual(['ClusterNotReady', 'ClusterNotReady'])
  await seen({ type: 'Create', state: 'Processing' })
  expect(await both()).toEqual(['ClusterNotReady', 'ClusterNotReady'])
  await seen({ type: 'Reconcile', state: 'Failed' })
  expect(await both()).toEqual(['RetryNeeded', 'RetryNeeded'])
  const done = { type: 'Create', state: 'Succeeded' }
  await seen(done)
  expect(await both()).toEqual(['succeeded', 'RotationNotDue'])
  await seen(done, { certificateAuthorities: 'Prepared', serviceAccountKey: 'WaitingForWorkersRollout' })
  expect(await both()).toEqual(['RotationNotDue', 'RotationNotDue'])
  await seen(done, {
    certificateAuthorities: 'Prepared',
    serviceAccountKey: 'Prepared',
    etcdEncryptionKey: 'Completed',
  })
  expect(await both()).toEqual(['RotationNotDue', 'succeeded'])
  await seen(done, { certificateAuthorities: 'Completed', serviceAccountKey: 'Completed' })
  expect(await both()).toEqual(['succeeded', 'RotationNotDue'])
})

/** As a worker writes that Gardener was asked for the operation of the row. */
const CLOSED = `closed_operation = (select operation ->> 'id' from tenant.clusters where id = cluster_id)`

test('an operation is refused while Gardener was not asked for the one before, for an hour at most', async () => {
  await using w = await clustersWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  const ask = (kind: 'retry' | 'reconcile') => codeOf(w.clusters.operateCluster(w.ann, w.acme, id, kind))
  const first = await w.clusters.operateCluster(w.ann, w.acme, id, 'retry')
  expect([await ask('reconcile'), await ask('retry')]).toEqual(['OperationPending', 'OperationPending'])
  expect((await w.clusters.getCluster(w.ann, w.acme, id)).operation).toEqual(first.operation)
  await w.database.pool.query(`update tenant.cluster_sync set ${CLOSED}`)
  expect(await ask('reconcile')).toBe('succeeded')
  expect(await ask('retry')).toBe('OperationPending')
  // Gardener takes up nothing else then.
  await w.database.pool.query(`update tenant.cluster_sync set shoot = $1`, [{ operation: { state: 'Failed' } }])
  expect([await ask('reconcile'), await ask('retry')]).toEqual(['OperationPending', 'succeeded'])
  expect(await ask('retry')).toBe('OperationPending')
  const old = { ...first.operation, id: 'old', requested_at: Date.now() - 3_600_000 }
  await w.database.pool.query('update tenant.clusters set operation = $1', [old])
  expect(await ask('retry')).toBe('succeeded')
})

test('an operation is asked for once, and a sync without a change', async () => {
  await using w = await clustersWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  const first = await w.clusters.operateCluster(w.mia, w.acme, id, 'reconcile')
  await w.database.pool.query(`update tenant.cluster_sync set ${CLOSED}`)
  const second = await w.clusters.operateCluster(w.mia, w.acme, id, 'reconcile')
  expect(first.operation?.id).not.toBe(second.operation?.id)
  expect(second).toMatchObject({ operation: { kind: 'reconcile' }, sync: { generation: 3 } })
  const [claim] = await w.queue.claim('w', 1)
  if (claim !== undefined) await w.queue.finish(claim, { then: 'forget' })
  expect((await w.clusters.syncCluster(w.mia, w.acme, id)).sync.generation).toBe(3)
  expect(await w.queue.claim('w', 1)).toMatchObject([{ key: clusterKey(id), tenant: w.acme }])
})

test('a change tells workers of the seed in the same transaction, and a rolled back one tells nobody', async () => {
  await using w = await clustersWorld()
  const hints = listener({ url: w.database.url, applicationName: 'test', onLost: () => {} })
  const heard: (string | undefined)[] = []
  hints.subscribe('cluster_sync', (payload) => heard.push(payload))
  await hints.start()
  try {
    await expect.poll(() => heard.length).toBeGreaterThan(0)
    const connected = heard.length
    await w.clusters.createCluster(w.ann, w.acme, order())
    await expect.poll(() => heard.length).toBe(connected + 1)
    await expect(
      asUser(w.pool, w.ann, async (tx) => {
        await tx.query(`update tenant.clusters set name = 'rolled-back'`)
        const [row] = await tx.query<{ generation: string }>('select generation from tenant.cluster_sync')
        expect(row?.generation).toBe('2')
        throw new Error('changed their mind')
      }),
    ).rejects.toThrow('changed their mind')
    await w.clusters.createCluster(w.ann, w.acme, order({ name: 'two' }))
    await expect.poll(() => heard.length).toBe(connected + 2)
    expect(await w.database.pool.query(`select from tenant.cluster_events`)).toHaveLength(2)
  } finally {
    await hints.stop()
  }
})

test('any number of statements in one transaction is one generation, and the next transaction another', async () => {
  await using w = await clustersWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  const change = () =>
    asUser(w.pool, w.ann, async (tx) => {
      await tx.query(`update tenant.clusters set is_hibernated = not is_hibernated`)
      await tx.query(`update tenant.node_pools set autoscale_max = autoscale_max + 1`)
      await tx.query(`update tenant.clusters set kubernetes_version = '1.35'`)
    })
  await change()
  expect((await w.rows.load(id))?.sync.generation).toBe(2)
  await change()
  expect((await w.rows.load(id))?.sync.generation).toBe(3)
  expect(await eventsOf(w, id)).toHaveLength(3)
})
