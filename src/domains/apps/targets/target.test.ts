import { expect, test, vi } from 'vitest'
import { createEmitter, manualClock, seededRandom, type Wake } from '../../../kernel/index.ts'
import { FakeKubernetes } from '../../../kube/fake/index.ts'
import {
  ClusterRole,
  ConfigMap,
  makeClient,
  Namespace,
  type KubeObject,
  type Transport,
  type WatchEvents,
} from '../../../kube/index.ts'
import { FakePostgresQueue, Table } from '../../../store/fake/index.ts'
import type { VerifiedRelease } from '../drift/verified-releases.ts'
import type { AppsEvents } from '../events.ts'
import { DEPLOYMENT_LABEL, USER_LABEL } from '../fence.ts'
import { ENFORCED, PROBE, ROLE } from '../fence-policy.ts'
import { deploymentKey } from '../queue.ts'
import { fakeDeploymentRows, fakeVerifiedReleases } from '../store/fake.ts'
import type { Deployment } from '../types.ts'
import type { ClusterConnection } from './port.ts'
import { appsTarget, type TargetDeps } from './target.ts'
import { workerClusters } from './worker-clusters.ts'

const rowOf = (id: string, clusterId: string | null, status = 'ready') =>
  ({ id, namespaceName: `app-${id}`, userId: 'ada', clusterId, status }) as Deployment

const ROWS = [
  rowOf('platform', null),
  rowOf('platform-gone', null, 'deleted'),
  rowOf('here', 'c1'),
  rowOf('here-gone', 'c1', 'deleted'),
  rowOf('elsewhere', 'c2'),
  rowOf('elsewhere-gone', 'c2', 'deleted'),
]
/** All of them have a namespace in every place. */
const IDS = [...ROWS.map(({ id }) => id), 'invented']

const KUBECONFIG = JSON.stringify({
  clusters: [{ name: 'c', cluster: { server: 'https://c1.example' } }],
  users: [{ name: 'u', user: { token: 'x' } }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  'current-context': 'x',
})

const SCAN_MS = 60_000
const LEVEL = 'pod-security.kubernetes.io/enforce'

async function world(clusterId: string | null) {
  const clock = manualClock()
  const kubernetes = new FakeKubernetes({ clock, random: seededRandom(1) })
  kubernetes.admit(({ kind, name }) => (kind === 'Namespace' && name === PROBE ? ENFORCED : undefined))
  const inner = kubernetes.transport()
  const requests: string[] = []
  const transport: Transport = {
    send(request) {
      requests.push(request.path)
      return inner.send(request)
    },
    stream(request) {
      requests.push(request.path)
      return inner.stream(request)
    },
  }
  const admin = makeClient(transport, { fieldManager: 'admin' })
  for (const id of IDS) {
    const labels = { [DEPLOYMENT_LABEL]: id, [USER_LABEL]: `invented-${id}`, [LEVEL]: 'privileged' }
    const metadata = { name: `app-${id}`, labels }
    await admin.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata })
  }
  const deployments = new Table<Deployment>()
  await deployments.inTransaction(async (rows) => ROWS.forEach((row) => rows.put(row.id, row)))
  const queue = new FakePostgresQueue({ clock, leaseMs: 10_000 })
  const store = { deployments, queue, template: () => undefined, owner: () => undefined }
  const verified = fakeVerifiedReleases(store)
  const woken: [string, Wake][] = []
  const placesAsked: (string | null)[] = []
  const given: Partial<TargetDeps> = {
    transport,
    queue: { wake: async ({ id }, wake) => void woken.push([id, wake]) },
    rows: fakeDeploymentRows(store),
    verified: {
      ...verified,
      kinds(place) {
        placesAsked.push(place)
        return verified.kinds(place)
      },
    },
    clock,
    random: () => 0.5,
    emitter: createEmitter<WatchEvents & AppsEvents>(),
    settings: {
      ingressClass: '',
      digestSalt: '',
      policies: { podSecurity: 'privileged', quota: {}, defaultRequests: {}, network: undefined },
    },
    version: 'test',
    instance: 'test',
    scanMs: SCAN_MS,
  }
  const deps = given as TargetDeps
  const { services } = appsTarget({ ...deps, clusterId })
  return {
    deps,
    placesAsked,
    clock,
    admin,
    woken,
    requests,
    /** As a worker does that has found the release in order. */
    verify: async (id: string, kinds: readonly string[]): Promise<void> => {
      await queue.wake(deploymentKey(id), { reason: 'drift' })
      const [claim] = await queue.claim('worker', 1)
      await verified.keep(id, claim?.fence ?? 0, { kinds } as VerifiedRelease)
    },
    start: async (name: string) => {
      const found = services.find((one) => one.name === name)
      if (found === undefined) throw new Error(`there is no service ${name}`)
      await found.start()
      return found
    },
  }
}

test.each([
  ['c1', 'here-gone'],
  [null, 'platform-gone'],
])('in %s a namespace of a deployment of another place is kept, and only %s goes', async (clusterId, gone) => {
  const { clock, admin, start } = await world(clusterId)
  for (const id of IDS) {
    const metadata = { name: `${ROLE}-app-${id}`, labels: { [DEPLOYMENT_LABEL]: id } }
    await admin.create(ClusterRole, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata })
  }
  const left = async () => {
    const idsIn = (objects: readonly KubeObject[]) => {
      const standing = objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      return IDS.filter((id) => standing.some(({ metadata }) => metadata.labels?.[DEPLOYMENT_LABEL] === id))
    }
    return [idsIn(await admin.list(Namespace)), idsIn(await admin.list(ClusterRole))]
  }
  const collection = await start('apps orphans')
  await clock.advance(SCAN_MS)
  const kept = IDS.filter((id) => id !== gone)
  await vi.waitFor(async () => expect(await left()).toEqual([kept, kept]))
  await clock.advance(SCAN_MS)
  expect(await left()).toEqual([kept, kept])
  await collection.stop()
})

test.each([
  ['c1', 'here'],
  [null, 'platform'],
])('in %s what is touched wakes only %s, for its owner, whatever labels say', async (clusterId, own) => {
  const { admin, woken, verify, start } = await world(clusterId)
  const page = (id: string) => ({ namespace: `app-${id}`, name: 'page' })
  for (const id of IDS) {
    const metadata = { ...page(id), labels: { 'app.kubernetes.io/managed-by': 'Helm' } }
    await admin.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata })
  }
  await verify(own, ['v1/ConfigMap'])
  const watches = [await start('apps drift watch'), await start('apps policy watch')]
  const wake = [own, { reason: 'drift', tenant: 'ada' }]
  // The last one is its own: once that has come, so would have the others.
  const inOrder = [...IDS.filter((id) => id !== own), own]
  for (const id of inOrder) await admin.patch(ConfigMap, page(id), { merge: { data: { text: 'mine' } } })
  await vi.waitFor(() => expect(woken).toContainEqual(wake))
  for (const id of inOrder)
    await admin.patch(Namespace, { name: `app-${id}` }, { merge: { metadata: { labels: { [LEVEL]: 'baseline' } } } })
  await vi.waitFor(() => expect(woken).toHaveLength(2))
  expect(woken).toEqual([wake, wake])
  await Promise.all(watches.map((watch) => watch.stop()))
})

test.each([
  ['c1', ['/api/v1/configmaps']],
  [null, ['/api/v1/serviceaccounts']],
])('%s is asked only about the kinds of its own releases', async (clusterId, own) => {
  const { requests, verify, start } = await world(clusterId)
  await verify('here', ['v1/ConfigMap'])
  await verify('platform', ['v1/ServiceAccount'])
  await verify('elsewhere', ['apps/v1/Deployment'])
  const watch = await start('apps drift watch')
  const ofKinds = new Set(requests.filter((path) => /configmaps|serviceaccounts|deployments/.test(path)))
  expect([...ofKinds]).toEqual(own)
  await watch.stop()
})

test('the target of a cluster is told which cluster it is', async () => {
  const { deps, placesAsked } = await world(null)
  const { transport } = deps
  const connection = { transport, services: [], close: async () => {} } as unknown as ClusterConnection
  const { targets } = workerClusters(
    {
      access: { kubeconfig: async () => ({ kubeconfig: KUBECONFIG, expiresAt: 3_600_000 }) },
      connect: () => connection,
      inUse: async () => ['c1'],
    },
    deps,
  )
  const used = await targets.use('c1', () => Infinity, new AbortController().signal)
  expect([used === 'gone', placesAsked]).toEqual([false, ['c1']])
  if (used !== 'gone') used[Symbol.dispose]()
  await targets.close()
})
