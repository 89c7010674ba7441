import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Deployment,
  Lease,
  Namespace,
  ResourceQuota,
  RoleBinding,
  Secret,
} from '../../src/kube/index.ts'
import { explainNow, previewOf, resourcesOf } from '../../src/domains/apps/index.ts'
import { DEPLOYMENT_LABEL, fenced, installFence, viewing } from '../../src/domains/apps/fence.ts'
import { obtainBinaries } from '../../tools/binaries/index.ts'
import { writeChart } from '../apps/helm/world.ts'
import { GRANTS, READER, triedApps } from '../apps/worker/tried.ts'
import { WorkerWorld, ADMIN } from '../apps/worker/world.ts'
import { start } from '../cli/caelus.ts'
import { freshNamespace, seen, testClient } from '../support/kube.ts'
import { accountOf, outcomesOf, type Attempt } from './account.ts'
import { ensureHome, installed } from './chart.ts'

test('the worker installs, repairs and deletes an app with the rights of the chart', { timeout: 240_000 }, async () => {
  await using admin = await testClient()
  await ensureHome(admin)
  await using release = await installed()
  await using account = await accountOf(`${release.name}-worker`)
  await using world = await WorkerWorld.make()
  await using earlier = await freshNamespace(admin)
  await admin.patch(Namespace, { name: earlier.name }, { merge: { metadata: { labels: { [DEPLOYMENT_LABEL]: 'x' } } } })
  const { helm } = await obtainBinaries(['helm'])
  await using worker = start(['run-worker-loop', '--poll-seconds', '1'], {
    DATABASE_URL: world.database.urlOf('caelus_worker'),
    CAELUS_KUBECONFIG: account.kubeconfig,
    CAELUS_DATA_DIR: join(account.dir, 'data'),
    CAELUS_LOCAL_CHARTS: 'true',
    CAELUS_LOG_FORMAT: 'json',
    HELM_BIN: helm,
  })
  await worker.says(/"msg":"Worker started"/)
  await seen(admin, RoleBinding, { namespace: earlier.name, name: 'caelus-release' }, () => true)
  const { id, namespaceName: namespace } = await world.order({ message: 'hello' })
  await world.until(id, 'ready')
  const platform = { namespace, name: 'caelus-platform' }
  expect((await admin.get(ResourceQuota, platform))?.spec?.hard).toMatchObject({ pods: '50' })
  await admin.delete(ResourceQuota, platform)
  await seen(admin, ResourceQuota, platform, () => true)

  const at = { namespace, name: namespace }
  await admin.patch(Deployment, at, { merge: { spec: { replicas: 0 } } })
  await vi.waitFor(async () => expect((await admin.get(Deployment, at))?.spec?.replicas).toBe(1), {
    timeout: 45_000,
    interval: 200,
  })
  await world.apps.deleteDeployment(ADMIN, { id })
  await world.until(id, 'deleted')
  expect(await admin.get(Namespace, { name: namespace })).toBe(undefined)
  const locks = await admin.list(Lease, { namespace: 'caelus-system' })
  expect(locks.filter(({ metadata }) => metadata.annotations?.['caelus.dev/target']?.includes(namespace))).toEqual([])
})

test.each([true, false])('with apps.grants %s a granted ClusterRole', { timeout: 240_000 }, async (isOn) => {
  await using admin = await testClient()
  await ensureHome(admin)
  await using release = await installed({ 'apps.grants': isOn })
  await using account = await accountOf(`${release.name}-worker`)
  await using world = await WorkerWorld.make()
  await using tried = await triedApps(world)
  const { helm } = await obtainBinaries(['helm'])
  await using worker = start(['run-worker-loop', '--poll-seconds', '1'], {
    DATABASE_URL: world.database.urlOf('caelus_worker'),
    CAELUS_KUBECONFIG: account.kubeconfig,
    CAELUS_DATA_DIR: join(account.dir, 'data'),
    CAELUS_LOCAL_CHARTS: 'true',
    CAELUS_LOG_FORMAT: 'json',
    HELM_BIN: helm,
  })
  await worker.says(/"msg":"Worker started"/)
  const chartRef = await writeChart(world.dir, READER, {})
  const chart = { productId: world.productId, chartRef, chartVersion: '1.0.0', grants: GRANTS }
  const { id: templateId } = await tried.apps.publishTemplate(ADMIN, chart)
  const { id, namespaceName } = await world.orderWithoutVolume({}, 'shop.example.com', { templateId })
  const name = `${namespaceName}-reader`
  if (isOn) {
    await world.until(id, 'ready')
    expect(await admin.get(ClusterRole, { name })).toBeDefined()
    const { client } = account
    const everything = { name: `caelus-release-${namespaceName}x` }
    const wide = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: everything } as const
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'mallory' }]
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' }
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]
    const attempts: readonly Attempt[] = [
      ['makes a role of another name', client.create(ClusterRole, { ...wide, metadata: { name: 'x' }, rules: [] })],
      ['makes a role that may do everything', client.create(ClusterRole, { ...wide, rules })],
      ['deletes a role of others', client.delete(ClusterRole, { name: 'view' })],
      [
        'binds another role',
        client.apply(ClusterRoleBinding, { ...wide, kind: 'ClusterRoleBinding', roleRef, subjects }),
      ],
    ]
    expect(await outcomesOf(attempts)).toEqual(attempts.map(([what]) => `${what}: refused`))
  } else {
    expect((await world.until(id, 'error')).lastError).toMatchObject({ code: 'GrantsDisabled', retryable: false })
  }
  await world.apps.deleteDeployment(ADMIN, { id })
  await world.until(id, 'deleted')
  const left = await Promise.all(
    [name, `caelus-release-${namespaceName}`].map((one) => admin.get(ClusterRole, { name: one })),
  )
  expect(left).toEqual([undefined, undefined])
})

test('the worker is refused outside of the namespaces of deployments', async () => {
  await using admin = await testClient()
  await ensureHome(admin)
  await using foreign = await freshNamespace(admin)
  await using release = await installed()
  await using account = await accountOf(`${release.name}-worker`)
  const { client } = account
  const { name } = foreign
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${name}-2` } } as const
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: name, name: 'x' } } as const
  const ours = { merge: { metadata: { labels: { [DEPLOYMENT_LABEL]: 'x' } } } }
  // The API server learns of a new policy a moment after it was made; before that, all is refused for want of any rights.
  await vi.waitFor(
    () =>
      expect(client.create(Namespace, namespace, { dryRun: true })).rejects.toThrow(/namespaces of deployments alone/),
    20_000,
  )

  const attempts: readonly Attempt[] = [
    ['makes a namespace that is not of a deployment', client.create(Namespace, namespace)],
    ['takes a namespace', client.patch(Namespace, { name }, ours)],
    ['deletes a namespace', client.delete(Namespace, { name })],
    ['gives itself rights', client.apply(RoleBinding, rights(name, 'caelus:worker'))],
    ['sets a quota', client.apply(ResourceQuota, quota(name, 'caelus-platform'))],
    ['writes with its own account', client.create(ConfigMap, map)],
    ['writes as whom it may act', client.as(fenced('x', 1)).create(ConfigMap, map)],
    ['reads a Secret', client.get(Secret, { namespace: name, name: 'x' })],
    ['reads a ConfigMap', client.get(ConfigMap, { namespace: name, name: 'x' })],
    ['reads as whom it may act', client.as(fenced('x', 1)).get(Secret, { namespace: name, name: 'x' })],
    ['reads as whoever looks', client.as(viewing).get(Secret, { namespace: name, name: 'x' })],
    ['lists roles of the cluster', client.list(ClusterRole, {})],
    ['acts as another user', client.as({ user: 'mallory' }).get(Namespace, { name })],
    ['acts as an administrator', client.as({ ...fenced('x', 1), groups: ['system:masters'] }).get(Namespace, { name })],
  ]
  expect(await outcomesOf(attempts)).toEqual(attempts.map(([what]) => `${what}: refused`))
})

test('in a namespace of a deployment the worker grants rights to no other user', async () => {
  await using admin = await testClient()
  await ensureHome(admin)
  await using tenant = await freshNamespace(admin)
  await admin.patch(Namespace, { name: tenant.name }, { merge: { metadata: { labels: { [DEPLOYMENT_LABEL]: 'x' } } } })
  await installFence(admin)
  await using release = await installed()
  await using account = await accountOf(`${release.name}-worker`)
  const give = (user: string): Promise<unknown> =>
    account.client.apply(RoleBinding, rights(tenant.name, user), { force: true })
  await vi.waitFor(() => expect(give('mallory')).rejects.toThrow(/to the users caelus:worker and/), 20_000)
  await give('caelus:worker')
  await give('caelus:viewer')
  await account.client.apply(ResourceQuota, quota(tenant.name, 'caelus-platform'))
  await expect(account.client.apply(ResourceQuota, quota(tenant.name, 'other'))).rejects.toThrow('forbidden')
})

const quota = (namespace: string, name: string): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { namespace, name },
  spec: { hard: { pods: '1' } },
})

test('the API looks into apps with the rights of the chart, and can change nothing', { timeout: 240_000 }, async () => {
  await using admin = await testClient()
  await ensureHome(admin)
  await using foreign = await freshNamespace(admin)
  await using release = await installed()
  await using account = await accountOf(`${release.name}-api`)
  await using world = await WorkerWorld.make()
  await world.worker()
  const { id, namespaceName: namespace } = await world.order({ message: 'hello' })
  await world.until(id, 'ready')

  const { client, kubeconfig } = account
  const parts = await world.parts({ client, kubeconfig, settings: { ingressClass: 'test', digestSalt: 'salt' } })
  // Its rights may not be known yet.
  await vi.waitFor(() => client.get(Namespace, { name: namespace }), 20_000)
  expect((await explainNow(parts, id, null)).whoseMove).toBe('nobody')
  expect((await resourcesOf(parts, id)).map(({ kind }) => kind)).toContain('Deployment')
  const shown = await previewOf(parts, await world.apps.previewUpdate(ADMIN, { id }, { domainname: 'new.example.com' }))
  expect([shown.objects.map(({ change }) => change), shown.notConsulted]).toEqual([['changed'], []])
  const { userId, templateId } = world
  const ordered = { userId, templateId, domainname: 'other.example.com', userValues: {} }
  expect((await previewOf(parts, await world.apps.previewCreate(ADMIN, ordered))).objects).toHaveLength(4)

  const inside = { namespace, name: 'x' }
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: inside } as const
  const looking = client.as(viewing)
  const attempts: readonly Attempt[] = [
    ['writes as whoever looks', looking.create(ConfigMap, map)],
    ['deletes as whoever looks', looking.delete(Deployment, { namespace, name: namespace })],
    ['acts as the worker', client.as(fenced(id, 1)).create(ConfigMap, map, { dryRun: true })],
    ['carries a fence', client.as({ ...viewing, extra: { 'caelus.io/fence': [`${id}:1`] } }).get(ConfigMap, inside)],
    ['reads with its own account', client.get(Secret, inside)],
    ['lists Secrets', client.list(Secret, {})],
    ['reads elsewhere', looking.get(Secret, { namespace: foreign.name, name: 'x' })],
    ['changes the namespace', looking.patch(Namespace, { name: namespace }, { merge: {} }, { dryRun: true })],
    ['makes a namespace', client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } })],
  ]
  expect(await outcomesOf(attempts)).toEqual(attempts.map(([what]) => `${what}: refused`))
})

const rights = (namespace: string, user: string): RoleBinding => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { namespace, name: 'caelus-release' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'caelus-release' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
})
