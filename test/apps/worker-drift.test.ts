import { afterAll, beforeAll, expect, test } from 'vitest'
import { deploymentKey } from '../../src/domains/apps/queue.ts'
import {
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  PersistentVolumeClaim,
  Secret,
  Service,
  type KubeObject,
  type Patch,
  type Resource,
} from '../../src/kube/index.ts'
import { seen } from '../support/kube.ts'
import { WorkerWorld } from './worker-world.ts'

let world: WorkerWorld
let id: string
let namespace: string
/** Steps that were taken, in order. */
const steps: string[] = []
const looks: boolean[] = []
const requests: string[] = []

/** One deployment for the whole file: every test leaves it as it was, which is what is tested. */
beforeAll(async () => {
  world = await WorkerWorld.make()
  const { told } = await world.worker()
  told.on('apps:step', ({ step }) => steps.push(step))
  told.on('apps:looked', ({ isRemembered }) => looks.push(isRemembered))
  told.on('kube:request', ({ verb, resource }) => verb !== 'watch' && requests.push(`${verb} ${resource}`))
  const made = await world.order()
  ;[id, namespace] = [made.id, made.namespaceName]
  await world.until(id, 'ready')
})
afterAll(async () => world[Symbol.asyncDispose]())

const revisions = async (): Promise<number> =>
  (await world.client.list(Secret, { namespace, labels: 'owner=helm' })).length

/** Looks once more, and waits until that is over. */
async function lookAgain(): Promise<void> {
  const before = looks.length
  await world.queue.wake(deploymentKey(id), { reason: 'drift', tenant: world.userId })
  await expect.poll(() => looks.length, { timeout: 20_000 }).toBeGreaterThan(before)
}

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

test('what an autoscaler has scaled is left alone', async () => {
  const at = { namespace, name: namespace }
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: namespace }
  await world.client.create(HorizontalPodAutoscaler, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: at,
    spec: { scaleTargetRef, minReplicas: 3, maxReplicas: 5 },
  })
  await seen(world.client, Deployment, at, ({ spec }) => spec?.replicas === 3)
  steps.length = 0
  await lookAgain()
  expect((await world.client.get(Deployment, at))?.spec?.replicas).toBe(3)
  expect(steps).toEqual([])
  await world.client.delete(HorizontalPodAutoscaler, at)
  await world.client.patch(Deployment, at, { merge: { spec: { replicas: 2 } } })
  await expect.poll(() => steps, { timeout: 20_000 }).toEqual(['repairObjects'])
  expect((await world.client.get(Deployment, at))?.spec?.replicas).toBe(1)
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
  await world.until(id, 'ready')
  await lookAgain()
  await expect.poll(async () => (await lookAgain(), looks.at(-1)), { timeout: 20_000 }).toBe(true)
  const row = await world.row(id)
  requests.length = 0
  for (let pass = 0; pass < 5; pass++) await lookAgain()
  expect(looks.slice(-5)).toEqual([true, true, true, true, true])
  expect(requests.filter((request) => !request.includes('leases'))).toEqual([])
  expect(await world.row(id)).toEqual(row)
})
