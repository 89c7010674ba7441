import { expect, test } from 'vitest'
import { raise } from '../../src/domains/clusters/failures.ts'
import type { Gardener } from '../../src/domains/clusters/gardener/gardener.ts'
import { ShootRefusal } from '../../src/domains/clusters/gardener/refusal.ts'
import { Projects, Shoots } from '../../src/domains/clusters/gardener/resources.ts'
import { SIMULATE } from '../../src/domains/clusters/gardener/stand-in/simulated.ts'
import { clusterKey } from '../../src/domains/clusters/queue.ts'
import { openInsight, type ClusterInput } from '../../src/domains/clusters/usecases/index.ts'
import { systemClock } from '../../src/kernel/index.ts'
import { accessOfApi } from '../../src/processes/clusters/access.ts'
import { noteAccessOfApi, noteAccessOfWorker } from '../../src/domains/clusters/store/index.ts'
import { auditOf } from '../../src/store/index.ts'
import { SENTINEL, sentinelIn } from '../support/sentinel.ts'
import { gardenWorld, SETTINGS } from './garden.ts'
import { codeOf, order as orderOf, POOL } from './world.ts'

const LOCAL = { ...POOL, machineType: 'local' }
const order = (more: Partial<ClusterInput> = {}): ClusterInput => orderOf({ nodePools: [LOCAL], ...more })
const { signal } = new AbortController()
const WITH_CREDENTIALS = { ...SETTINGS, credentialsBindingName: 'local', credentialsFrom: 'garden' }
const TOO_SHORT = { begin: '220000+0000', end: '221000+0000', updateKubernetes: true, updateMachineImage: true }
const REFUSED_SETTING = { field: 'networking', message: 'overlaps', value: undefined, supported: [] }

test('an order is previewed by the catalogue before there is a project, and by admission from then on', async () => {
  await using w = await gardenWorld()
  const first = await w.insight.previewCreate(w.ann, w.acme, order(), signal)
  expect(first).toMatchObject({ accepted: true, problems: [], notConsulted: [expect.stringContaining('no project')] })
  expect(first.nodePools).toEqual([
    { name: 'default', change: 'added', rolls: false, machinesMin: 1, machinesMax: 3, machinesDuringRoll: 3 },
  ])
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  await w.becomes(id, 'ready')
  const second = await w.insight.previewCreate(w.ann, w.acme, order({ name: 'two' }), signal)
  expect(second).toMatchObject({ accepted: true, problems: [], notConsulted: [] })
  expect(second.limits).toEqual({
    clusters: { used: 1, after: 2, limit: null },
    nodes: { used: 3, after: 6, limit: null },
  })
  expect((await w.clusters.listClusters(w.ann, { limit: 5 })).items).toHaveLength(1)
  expect(await w.gardener.list(signal)).toHaveLength(1)
})

test('the first order of an organization is checked by admission in the namespace of the operators', async () => {
  await using w = await gardenWorld(undefined, WITH_CREDENTIALS)
  const preview = (more: Partial<ClusterInput> = {}) => w.insight.previewCreate(w.ann, w.acme, order(more), signal)
  const first = await preview()
  expect(first).toMatchObject({ accepted: true, problems: [] })
  expect(first.notConsulted).toEqual([expect.stringMatching(/no project .* checked all fields elsewhere: quotas/)])
  const refused = await preview({ maintenance: TOO_SHORT })
  expect(refused).toMatchObject({ accepted: false, notConsulted: first.notConsulted })
  expect(refused.problems).toMatchObject([{ field: 'maintenance', failure: { code: 'ShootRefused' } }])
  expect(refused.problems[0]?.failure.message).toMatch(/^maintenance time window must not be smaller than 30m0s$/)
  // Nothing was made.
  expect(await w.gardener.list(signal)).toEqual([])
  expect((await w.garden.operator.list(Projects)).map(({ metadata }) => metadata.name)).toEqual(['garden'])
})

test.each([
  ['a quota that is used up', raise.InfrastructureQuota('the quota of the project is used up (of others)')],
  ['a right that is missing', raise.GardenerForbidden('cannot create shoots in garden')],
  ['a setting that is refused', new ShootRefusal([REFUSED_SETTING], raise.GardenerMisconfigured('of others'))],
])('%s in the namespace of the operators says nothing about the order', async (_, why) => {
  await using w = await gardenWorld(undefined, WITH_CREDENTIALS)
  const gardener: Gardener = {
    ...w.gardener,
    dryRun: (draft, ...rest) =>
      draft.metadata.namespace === 'garden' ? Promise.reject(why) : w.gardener.dryRun(draft, ...rest),
  }
  const { pool, clusters } = w
  const insight = openInsight({ pool, clusters, gardener, settings: WITH_CREDENTIALS, clock: systemClock })
  const { accepted, problems, notConsulted } = await insight.previewCreate(w.ann, w.acme, order(), signal)
  expect([accepted, problems]).toEqual([true, []])
  expect(notConsulted).toEqual([
    expect.stringMatching(
      /admission was not asked: maintenance, autoscale_min and autoscale_max of node_pools, and quotas/,
    ),
  ])
  expect(notConsulted.join()).not.toContain('others')
})

test('everything that is wrong is told at once, by field and with the values that would do', async () => {
  await using w = await gardenWorld()
  await w.clusters.createCluster(w.ann, w.acme, order())
  await w.clusters.setLimits(w.admin, w.acme, {
    maxClusters: 1,
    maxNodes: 4,
    regions: ['local', 'eu-west'],
    machineTypes: null,
  })
  const wrong = order({
    region: 'mars',
    kubernetesVersion: '1.20',
    nodePools: [LOCAL, { ...LOCAL, machineType: 'local-retired', autoscaleMin: 9 }],
  })
  const { accepted, problems } = await w.insight.previewCreate(w.ann, w.acme, wrong, signal)
  expect(accepted).toBe(false)
  const told = new Map(problems.map(({ field, supported, failure }) => [field, [failure.code, supported]]))
  expect(told.get('name')).toEqual(['ClusterNameTaken', null])
  expect(told.get(null)).toEqual(['ClusterLimit', null])
  expect(told.get('node_pools')).toEqual(['ClusterLimit', null])
  expect(told.get('region')).toEqual(['NotOffered', ['local', 'eu-west']])
  expect(told.get('kubernetes_version')).toEqual(['VersionRefused', expect.arrayContaining(['1.34.3', '1.33.7'])])
  expect(told.get('node_pools[1].name')?.[0]).toBe('InvalidRequest')
  expect(told.get('node_pools[1].autoscale_max')?.[0]).toBe('InvalidRequest')
  expect(told.get('node_pools[1].machine_type')).toEqual(['NotOffered', ['local', 'local-large', 'local-gpu']])
})

test('a change is previewed as the server would store it, with what becomes of each node pool', async () => {
  await using w = await gardenWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  await w.becomes(id, 'ready')
  const preview = await w.insight.previewChange(
    w.mia,
    w.acme,
    id,
    {
      kubernetesVersion: '1.35',
      nodePools: [
        { ...LOCAL, autoscaleMax: 5 },
        { ...LOCAL, name: 'gpu', machineType: 'local-gpu' },
      ],
    },
    signal,
  )
  expect(preview).toMatchObject({ accepted: true, problems: [], notConsulted: [] })
  expect(preview.fields).toContainEqual({
    field: 'spec.kubernetes.version',
    change: 'changed',
    before: '1.34.3',
    after: '1.35.4',
  })
  expect(preview.nodePools).toEqual([
    { name: 'default', change: 'changed', rolls: true, machinesMin: 1, machinesMax: 5, machinesDuringRoll: 6 },
    { name: 'gpu', change: 'added', rolls: false, machinesMin: 1, machinesMax: 3, machinesDuringRoll: 3 },
  ])
  expect(preview.limits).toEqual({
    clusters: { used: 1, after: 1, limit: null },
    nodes: { used: 3, after: 8, limit: null },
  })
  const nothing = await w.insight.previewChange(w.mia, w.acme, id, {}, signal)
  expect(nothing).toMatchObject({ accepted: true, fields: [], nodePools: [{ change: 'unchanged' }] })
  expect(nothing.limits.nodes).toEqual({ used: 3, after: 3, limit: null })
  const refused = await w.insight.previewChange(
    w.mia,
    w.acme,
    id,
    { kubernetesVersion: '1.36', region: 'eu-west' },
    signal,
  )
  expect(refused.problems.map(({ field, supported }) => [field, supported])).toEqual([
    ['region', ['local']],
    ['kubernetes_version', ['1.35.1', '1.35.4']],
  ])
  expect((await w.clusters.getCluster(w.ann, w.acme, id)).sync.generation).toBe(1)
})

test('before there is a Shoot, a change of the version is judged as an order is', async () => {
  await using w = await gardenWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order({ kubernetesVersion: '1.99' }))
  await expect
    .poll(async () => (await w.clusters.getCluster(w.ann, w.acme, id)).sync.failure?.code)
    .toBe('ShootRefused')
  const to = (kubernetesVersion: string) => w.insight.previewChange(w.ann, w.acme, id, { kubernetesVersion }, signal)
  expect(await to('1.34')).toMatchObject({ accepted: true, problems: [] })
  const { problems } = await to('1.98')
  expect(problems.map(({ field, supported }) => [field, supported])).toEqual([
    ['kubernetes_version', expect.arrayContaining(['1.34.3', '1.33.7'])],
  ])
  const nodePools = [
    { ...LOCAL, machineType: 'local-large' },
    { ...LOCAL, name: 'more' },
  ]
  const change = { kubernetesVersion: '1.34', nodePools }
  const effects = (await w.insight.previewChange(w.ann, w.acme, id, change, signal)).nodePools
  const machines = { rolls: false, machinesMin: 1, machinesMax: 3, machinesDuringRoll: 3 }
  expect(effects).toEqual([
    { name: 'default', change: 'added', ...machines },
    { name: 'more', change: 'added', ...machines },
  ])
  expect((await to('1.34')).nodePools).toEqual([{ name: 'default', change: 'added', ...machines }])
  await w.clusters.updateCluster(w.ann, w.acme, id, { kubernetesVersion: '1.34' })
  await w.becomes(id, 'ready')
})

test('without Gardener a preview says what was not asked, and explain tells what the row knows', async () => {
  await using w = await gardenWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  await w.becomes(id, 'ready')
  w.garden.down()
  const preview = await w.insight.previewChange(
    w.ann,
    w.acme,
    id,
    { nodePools: [{ ...LOCAL, autoscaleMin: 9 }] },
    signal,
  )
  expect(preview.notConsulted.join()).toContain('Gardener did not answer')
  expect(preview.problems.map(({ field }) => field)).toEqual(['node_pools[0].autoscale_max'])
  expect((await w.insight.explain(w.vic, w.acme, id, signal)).why).not.toEqual([])
  w.garden.up()
})

test('a right that is missing in Gardener is no silence of it', async () => {
  await using w = await gardenWorld()
  const refuse = () => Promise.reject(raise.GardenerForbidden('caelus cannot get shoots'))
  const gardener = { ...w.gardener, catalogue: refuse, dryRun: refuse }
  const insight = openInsight({ pool: w.pool, clusters: w.clusters, gardener, settings: SETTINGS, clock: systemClock })
  const { notConsulted } = await insight.previewCreate(w.ann, w.acme, order(), signal)
  expect(notConsulted).toEqual(['Gardener refused to answer: caelus cannot get shoots'])
})

test('explain, timeline and versions are for everyone in the organization, and for nobody else', async () => {
  await using w = await gardenWorld()
  const { id } = await w.clusters.createCluster(w.mia, w.acme, order())
  await w.becomes(id, 'ready')
  await w.clusters.updateCluster(w.ann, w.acme, id, { name: 'renamed' })
  await w.kept()
  expect(await w.insight.explain(w.vic, w.acme, id, signal)).toMatchObject({ blockers: [] })
  const { current, upgrades } = await w.insight.versions(w.vic, w.acme, id, signal)
  expect([current, upgrades.map(({ version, kind }) => `${version} ${kind}`)]).toEqual([
    '1.34.3',
    ['1.35.1 minor', '1.35.4 minor'],
  ])
  expect(upgrades[0]?.changes.join()).toContain('all nodes of default are replaced')
  const timeline = await w.insight.timeline(w.vic, w.acme, id)
  const has = (part: object): void => expect(timeline).toContainEqual(expect.objectContaining(part))
  has({ source: 'audit', actor: 'mia@example.org', what: 'created' })
  has({ source: 'audit', actor: 'ann@example.org', what: 'changed', message: 'it was changed: name' })
  has({ source: 'phase', actor: 'platform', what: 'ready', tone: 'good' })
  has({ source: 'job', what: 'succeeded' })
  expect(timeline.some(({ source }) => source === 'decision')).toBe(true)
  for (const ask of [
    () => w.insight.explain(w.bob, w.acme, id, signal),
    () => w.insight.timeline(w.bob, w.acme, id),
    () => w.insight.versions(w.bob, w.acme, id, signal),
    () => w.insight.previewChange(w.bob, w.acme, id, {}, signal),
    () => w.insight.previewCreate(w.bob, w.acme, order(), signal),
    () => w.insight.landscape(w.bob, w.acme, signal),
    () => w.insight.kubeconfig(w.bob, w.acme, id, 600, signal),
    () => w.insight.kubeconfig(w.bob, w.beta, id, 600, signal),
  ]) {
    expect(await codeOf(ask())).toBe('NotFound')
  }
})

test('the landscape is what Gardener offers, with what the organization may have of it', async () => {
  await using w = await gardenWorld()
  expect(await w.insight.landscape(w.bob, undefined, signal)).toMatchObject({
    mode: 'mock',
    regions: ['local', 'eu-west', 'eu-north'],
    limits: null,
  })
  const limits = { maxClusters: null, maxNodes: null, regions: ['local'], machineTypes: ['local'] }
  await w.clusters.setLimits(w.admin, w.acme, limits)
  expect((await w.insight.landscape(w.vic, w.acme, signal)).limits).toMatchObject(limits)
})

test('a kubeconfig is for owners and members, in the audit before it is given, and stored nowhere', async () => {
  await using w = await gardenWorld(SENTINEL)
  const early = await w.clusters.createCluster(w.ann, w.acme, order())
  const ask = (who: typeof w.ann, seconds = 600) => w.insight.kubeconfig(who, w.acme, early.id, seconds, signal)
  await w.becomes(early.id, 'ready')
  const before = Date.now()
  const { kubeconfig, expiresAt } = await ask(w.mia)
  expect(kubeconfig).toBe(SENTINEL)
  expect(expiresAt - before).toBeGreaterThan(590_000)
  expect(expiresAt - before).toBeLessThan(660_000)
  expect(await codeOf(ask(w.vic))).toBe('NotAllowed')
  const asked = await auditOf(w.database.pool, clusterKey(early.id))
  expect(asked.filter(({ action }) => action === 'kubeconfig')).toMatchObject([
    { actor: w.mia.userId, detail: { seconds: 600 } },
  ])

  w.garden.down()
  expect(await codeOf(ask(w.ann))).toBe('GardenerUnreachable')
  expect(await auditOf(w.database.pool, clusterKey(early.id))).toHaveLength(asked.length + 1)
  w.garden.up()

  await w.kept()
  const tables = await w.database.pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('caelus', 'tenant')`,
  )
  for (const { name } of tables) {
    const rows = await w.database.pool.query<{ text: string }>(`select t::text as text from ${name} t`)
    expect([name, sentinelIn(rows.map(({ text }) => text).join('\n'))]).toEqual([name, []])
  }
})

test('kubeconfigs of Caelus itself are in the timeline, once a day for each process, and hide nothing else', async () => {
  await using w = await gardenWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  await w.becomes(id, 'ready')
  await w.insight.kubeconfig(w.mia, w.acme, id, 600, signal)
  const access = { clusterId: id, organizationId: w.acme, seconds: 3600 }
  const worker = w.database.openPool({ role: 'caelus_worker' })
  for (let times = 0; times < 5; times++) await noteAccessOfWorker(worker, 'vm-1', access)
  await noteAccessOfApi(w.pool, 'vm-2', access)
  const shown = async (who: typeof w.ann, limit?: number) =>
    (await w.insight.timeline(who, w.acme, id, limit))
      .filter(({ what }) => what === 'kubeconfig')
      .map(({ actor, message, count }) => [actor, message, count])
  const own = 'Caelus asked for a kubeconfig, for the apps in it'
  for (const who of [w.ann, w.mia, w.vic]) {
    expect(await shown(who)).toEqual([
      ['platform', own, 6],
      ['mia@example.org', 'a kubeconfig was given out', 1],
    ])
  }
  expect(await shown(w.admin)).toEqual([
    ['api vm-2', own, 1],
    ['apps worker vm-1', own, 5],
    ['mia@example.org', 'a kubeconfig was given out', 1],
  ])
  expect(await shown(w.ann, 2)).toHaveLength(2)
  expect(await codeOf(w.insight.timeline(w.bob, w.acme, id))).toBe('NotFound')
})

test('a process that serves the API notes each kubeconfig of its own, and has none without', async () => {
  await using w = await gardenWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  await w.becomes(id, 'ready')
  let asked = 0
  const access = accessOfApi(w.pool, {
    adminKubeconfig: (...given) => (asked++, w.gardener.adminKubeconfig(...given)),
  })
  const rows = () =>
    w.database.pool.query(
      `select actor, tenant, detail from caelus.audit where action = 'kubeconfig for apps' and object_id = $1`,
      [id],
    )
  expect((await access.kubeconfig(id, signal))?.kubeconfig).toBe('apiVersion: v1')
  const noted = [{ actor: expect.stringMatching(/^api \S+-\d+-/) as string, tenant: w.acme, detail: { seconds: 3600 } }]
  expect([asked, await rows()]).toEqual([1, noted])
  await w.database.pool.query('revoke insert on caelus.audit from caelus_api')
  await expect(access.kubeconfig(id, signal)).rejects.toThrow('permission denied')
  expect([asked, await rows()]).toEqual([1, noted])
})

test('a kubeconfig is refused before there is a control plane, and once it is gone', async () => {
  await using w = await gardenWorld()
  w.garden.down()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  const ask = () => w.insight.kubeconfig(w.ann, w.acme, id, 600, signal)
  expect(await codeOf(ask())).toBe('ClusterNotReady')
  expect(await codeOf(w.insight.kubeconfig(w.vic, w.acme, id, 600, signal))).toBe('NotAllowed')
  w.garden.up()
  const { namespace, name } = (await w.becomes(id, 'ready')).sync.shoot ?? { namespace: '', name: '' }
  const place = { namespace, name }
  // What blocks its deletion has to be removed by its users.
  const failure = { description: 'a finalizer is left', codes: ['ERR_CLEANUP_CLUSTER_RESOURCES'] }
  await w.garden.gardenlet.fail(place, failure)
  await w.clusters.deleteCluster(w.ann, w.acme, id)
  const failed = await w.becomes(id, 'error')
  expect(failed.sync.statusFailure?.code).toBe('ClusterResourcesLeft')
  expect((await ask()).kubeconfig).toContain('apiVersion')
  await w.garden.operator.patch(Shoots, place, { merge: { metadata: { annotations: { [SIMULATE]: null } } } })
  await w.becomes(id, 'deleted')
  expect(await codeOf(ask())).toBe('ClusterBeingDeleted')
  expect(await codeOf(w.clusters.operateCluster(w.ann, w.acme, id, 'retry'))).toBe('ClusterBeingDeleted')
  expect(await codeOf(w.insight.previewChange(w.ann, w.acme, id, {}, signal))).toBe('ClusterBeingDeleted')
})
