import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  Deployment,
  guarded,
  HorizontalPodAutoscaler,
  Ingress,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
  type KubeObject,
  type Patch,
  type Resource,
} from '../../../src/kube/index.ts'
import { seen } from '../../support/kube.ts'
import { WorkerWorld } from './world.ts'

let world: WorkerWorld
let id: string
let namespace: string
/** Steps that were taken, in order. */
const steps: string[] = []
const verified: boolean[] = []
const requests: string[] = []

/** One deployment for the whole file: every test leaves it as it was, which is what is tested. */
beforeAll(async () => {
  world = await WorkerWorld.make()
  const { told } = await world.worker({}, (transport) =>
    guarded(transport, ({ method, path }) => void requests.push(`${method} ${path}`)),
  )
  told.on('apps:step', ({ step }) => steps.push(step))
  told.on('apps:looked', ({ isRemembered }) => verified.push(isRemembered))
  const made = await world.order()
  ;[id, namespace] = [made.id, made.namespaceName]
  await world.until(id, 'ready')
})
afterAll(async () => world[Symbol.asyncDispose]())

const revisions = async (): Promise<number> =>
  (await world.client.list(Secret, { namespace, labels: 'owner=helm' })).length

const lookAgain = (): Promise<void> => world.lookAgain(id)

/** Its controller has nothing left to write about it. */
const isRolledOut = ({ metadata, spec, status }: Deployment): boolean =>
  status?.observedGeneration === metadata.generation &&
  status?.replicas === spec?.replicas &&
  status?.updatedReplicas === spec?.replicas &&
  status?.availableReplicas === spec?.replicas

const host = ({ spec }: Ingress): string | undefined => spec?.rules?.[0]?.host

interface Meddling<T extends KubeObject> {
  readonly kind: Resource<T>
  readonly name: () => string
  readonly patch: Patch
  readonly isRestored: (object: T) => boolean
}

const meddling = <T extends KubeObject>(one: Meddling<T>): Meddling<KubeObject> =>
  one as unknown as Meddling<KubeObject>

test.each([
  meddling({
    kind: Deployment,
    name: () => namespace,
    patch: { strategic: { spec: { template: { spec: { containers: [{ name: 'nginx', image: 'evil' }] } } } } },
    isRestored: ({ spec }) =>
      spec?.template?.spec?.containers?.every(({ image }) => image?.startsWith('nginx')) ?? false,
  }),
  meddling({
    kind: Service,
    name: () => namespace,
    patch: { merge: { spec: { selector: { 'app.kubernetes.io/name': 'other' } } } },
    isRestored: ({ spec }) => spec?.selector?.['app.kubernetes.io/name'] === 'hello-static',
  }),
  meddling({
    kind: Ingress,
    name: () => namespace,
    patch: { json: [{ op: 'replace', path: '/spec/rules/0/host', value: 'evil.example.com' }] },
    isRestored: (ingress) => host(ingress) === 'shop.example.com',
  }),
  meddling({
    kind: PersistentVolumeClaim,
    name: () => `${namespace}-data`,
    patch: { merge: { metadata: { labels: { 'app.kubernetes.io/name': 'other' } } } },
    isRestored: ({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === 'hello-static',
  }),
])('an edit of the $kind.kind is taken back, once and without Helm', async ({ kind, name, patch, isRestored }) => {
  const at = { namespace, name: name() }
  const before = await revisions()
  steps.length = 0
  const edited = await world.client.patch(kind, at, patch, { fieldManager: 'kubectl-edit' })
  expect(isRestored(edited)).toBe(false)
  const restored = await seen(world.client, kind, at, isRestored)
  await world.until(id, 'ready')
  await lookAgain()
  expect(steps).toEqual(['repairObjects'])
  expect(await revisions()).toBe(before)
  expect((await world.client.get(kind, at))?.metadata.uid).toBe(restored.metadata.uid)
})

test.each([{ kind: Deployment }, { kind: Service }, { kind: Ingress }] as { kind: Resource }[])(
  'a deleted $kind.kind comes back, once and without Helm',
  async ({ kind }) => {
    const at = { namespace, name: namespace }
    const before = await world.client.get(kind, at)
    const revision = await revisions()
    steps.length = 0
    await world.client.delete(kind, at)
    await seen(world.client, kind, at, ({ metadata }) => metadata.uid !== before?.metadata.uid)
    await world.until(id, 'ready')
    await lookAgain()
    expect(steps).toEqual(['repairObjects'])
    expect(await revisions()).toBe(revision)
  },
)

test('a deleted claim comes back, once and without Helm, when its pod lets it go', async () => {
  const at = { namespace, name: `${namespace}-data` }
  const before = await world.client.get(PersistentVolumeClaim, at)
  const revision = await revisions()
  steps.length = 0
  await world.client.delete(PersistentVolumeClaim, at)
  for (const { metadata } of await world.client.list(Pod, { namespace })) {
    await world.client.delete(Pod, { namespace, name: metadata.name })
  }
  await seen(world.client, PersistentVolumeClaim, at, ({ metadata }) => metadata.uid !== before?.metadata.uid)
  // What was on the volume is kept for whoever made it; here it is laid ready once more.
  const volume = { name: before?.spec?.volumeName ?? '' }
  await world.client.patch(PersistentVolume, volume, {
    merge: { spec: { claimRef: { uid: null, resourceVersion: null } } },
  })
  await seen(world.client, Deployment, { namespace, name: namespace }, isRolledOut)
  await world.until(id, 'ready')
  await lookAgain()
  expect(steps).toEqual(['repairObjects'])
  expect(await revisions()).toBe(revision)
})

test('what an autoscaler has scaled is left alone', async () => {
  const at = { namespace, name: namespace }
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: namespace }
  await world.client.create(HorizontalPodAutoscaler, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: at,
    spec: { scaleTargetRef, minReplicas: 3, maxReplicas: 5 },
  })
  const replicas = async () => (await world.client.get(Deployment, at))?.spec?.replicas
  // The controller manager reconciles a new autoscaler after one sync period.
  await expect.poll(replicas, { timeout: 60_000 }).toBe(3)
  steps.length = 0
  await lookAgain()
  expect([await replicas(), steps]).toEqual([3, []])
  await world.client.delete(HorizontalPodAutoscaler, at)
  await world.client.patch(Deployment, at, { merge: { spec: { replicas: 2 } } })
  await expect.poll(replicas).toBe(1)
  await lookAgain()
  // Once for the edit, and before that perhaps once for what the autoscaler had left.
  expect([...new Set(steps)]).toEqual(['repairObjects'])
})

test('a field that we do not set is nobody’s business', async () => {
  const at = { namespace, name: namespace }
  steps.length = 0
  await world.client.patch(Service, at, { merge: { metadata: { annotations: { 'cloud.example.com/zone': 'a' } } } })
  await lookAgain()
  expect((await world.client.get(Service, at))?.metadata.annotations?.['cloud.example.com/zone']).toBe('a')
  expect(steps).toEqual([])
})

test('a pass over what nobody touched asks nobody and writes nothing', async () => {
  // What the tests before have changed is still being rolled out, which touches it too.
  await expect.poll(() => world.client.list(Pod, { namespace }), { timeout: 45_000 }).toHaveLength(1)
  await seen(world.client, Deployment, { namespace, name: namespace }, isRolledOut)
  await expect.poll(async () => (await lookAgain(), verified.at(-1)), { timeout: 45_000 }).toBe(true)
  const row = await world.row(id)
  requests.length = 0
  for (let pass = 0; pass < 5; pass++) await lookAgain()
  expect(verified.slice(-5)).toEqual([true, true, true, true, true])
  // What the watches and events of earlier passes ask for besides is in no single namespace of ours.
  expect(requests.filter((request) => request.includes(namespace))).toEqual([])
  expect(await world.row(id)).toEqual(row)
})
