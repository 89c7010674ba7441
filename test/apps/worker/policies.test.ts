import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { APPS } from '../../../src/config/apps.ts'
import { readConfig } from '../../../src/config/index.ts'
import { fenced } from '../../../src/domains/apps/fence.ts'
import type { NamespacePolicies } from '../../../src/domains/apps/index.ts'
import {
  guarded,
  LimitRange,
  Namespace,
  NetworkPolicy,
  Pod,
  ResourceQuota,
  type KubeObject,
  type Patch,
  type Resource,
} from '../../../src/kube/index.ts'
import { namespacePolicies } from '../../../src/processes/apps/policies.ts'
import { seen } from '../../support/kube.ts'
import { writeChart } from '../helm/world.ts'
import { claim, page } from './charts.ts'
import { WorkerWorld } from './world.ts'

const DEFAULTS = namespacePolicies(readConfig({}, { sections: [APPS] }).of(APPS))
const OWN = 'caelus-platform'

let world: WorkerWorld
let id: string
let namespace: string
const requests: string[] = []
let orders = 0

const settings = (policies: NamespacePolicies) => ({
  settings: { ingressClass: 'nginx', digestSalt: 'salt', policies },
})

/** One app for most tests: each leaves it as it was. */
beforeAll(async () => {
  world = await WorkerWorld.make()
  await world.worker(settings(DEFAULTS), (transport) =>
    guarded(transport, ({ method, path }) => void requests.push(`${method} ${path}`)),
  )
  const made = await order(await world.publish(await writeChart(world.dir, { 'page.yaml': page('one') })))
  ;[id, namespace] = [made.id, made.namespaceName]
  await world.until(id, 'ready')
  // A policy takes a moment to reach the admission of a running server.
  const us = await release()
  const change = () =>
    us.patch(ResourceQuota, { namespace, name: OWN }, { merge: { spec: { hard: {} } } }, { dryRun: true })
  await vi.waitFor(() => expect(change()).rejects.toThrow('the platform sets'), { timeout: 20_000 })
})
afterAll(async () => world[Symbol.asyncDispose]())

const order = (templateId: string) => world.orderWithoutVolume({}, `policies${orders++}.example.com`, { templateId })

/** As a release of the app acts. */
const release = async () => {
  const found = await world.client.get(Namespace, { name: namespace })
  return world.client.as(fenced(id, Number(found?.metadata.annotations?.['caelus.io/fence'])))
}

const pod = (name: string, container: object): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace, name },
  spec: { containers: [{ name: 'web', image: 'registry.invalid/web:1', ...container }] },
})

test('the namespace of an app has the objects of the platform, and its pods meet them', async () => {
  const found = await world.client.get(Namespace, { name: namespace })
  expect(found?.metadata.labels).toMatchObject({
    'pod-security.kubernetes.io/enforce': 'baseline',
    'pod-security.kubernetes.io/warn': 'restricted',
    'pod-security.kubernetes.io/audit': 'restricted',
  })
  const policy = await world.client.get(NetworkPolicy, { namespace, name: OWN })
  expect(policy?.spec?.policyTypes).toEqual(['Ingress', 'Egress'])
  expect(policy?.metadata.managedFields?.map(({ manager }) => manager)).toEqual([OWN])

  const us = await release()
  const privileged = us.create(Pod, pod('privileged', { securityContext: { privileged: true } }))
  await expect(privileged).rejects.toThrow('violates PodSecurity "baseline:latest"')
  const { spec } = await us.create(Pod, pod('plain', {}), { dryRun: true })
  expect(spec?.containers[0]?.resources?.requests).toEqual({ cpu: '50m', memory: '128Mi' })
  const greedy = us.create(Pod, pod('greedy', { resources: { requests: { cpu: '9' } } }))
  await expect(greedy).rejects.toThrow('exceeded quota: caelus-platform')
})

const ATTEMPTS: readonly (readonly [string, Resource, Patch])[] = [
  ['the quota', ResourceQuota, { merge: { spec: { hard: { pods: '9999' } } } }],
  ['the default requests', LimitRange, { merge: { spec: { limits: [] } } }],
  ['the network policy', NetworkPolicy, { merge: { spec: { ingress: [{}] } } }],
]

test.each(ATTEMPTS)('a release may neither change nor delete %s', async (_what, resource, patch) => {
  const us = await release()
  const at = { namespace, name: OWN }
  await expect(us.patch(resource, at, patch)).rejects.toThrow('the platform sets')
  await expect(us.delete(resource, at)).rejects.toThrow('the platform sets')
})

test.each([{ name: 'mine' }, { generateName: 'mine-' }])('a release may have a network policy %j', async (named) => {
  const own = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { namespace, ...named },
    spec: { podSelector: {} },
  } as NetworkPolicy
  const made = await (await release()).create(NetworkPolicy, own, { dryRun: true })
  expect(made.metadata.name).toMatch(/^mine/)
})

test('a release may not change the labels of its namespace', async () => {
  const labels = { 'pod-security.kubernetes.io/enforce': 'privileged' }
  const change = (await release()).patch(Namespace, { name: namespace }, { merge: { metadata: { labels } } })
  await expect(change).rejects.toThrow('a release does not change namespaces')
})

const isOwn = (object: KubeObject, contents: unknown): boolean => JSON.stringify(object).includes(String(contents))

test.each(ATTEMPTS)('an edit of %s is repaired, and so is its deletion', async (_what, resource, patch) => {
  const at = { namespace, name: OWN }
  const before = await world.client.get(resource, at)
  const spec = JSON.stringify((before as { spec?: unknown } | undefined)?.spec)
  await world.client.patch(resource, at, patch)
  await seen(world.client, resource, at, (object) => isOwn(object, spec))
  await world.client.delete(resource, at, { uid: before?.metadata.uid ?? '' })
  await seen(
    world.client,
    resource,
    at,
    (object) => isOwn(object, spec) && object.metadata.uid !== before?.metadata.uid,
  )
  await world.until(id, 'ready')
})

test('labels that somebody took away are put back', async () => {
  const labels = { 'pod-security.kubernetes.io/enforce': null }
  await world.client.patch(Namespace, { name: namespace }, { merge: { metadata: { labels } } })
  await seen(
    world.client,
    Namespace,
    { name: namespace },
    ({ metadata }) => metadata.labels?.['pod-security.kubernetes.io/enforce'] === 'baseline',
  )
})

test('a pass over an app that nobody touched asks nobody', async () => {
  // Once to verify what the tests before have left.
  await expect
    .poll(async () => {
      await world.lookAgain(id)
      requests.splice(0)
      await world.lookAgain(id)
      return requests.filter((request) => request.includes(namespace))
    })
    .toEqual([])
})

test('a quota that a chart exceeds is told as QuotaExceeded', async () => {
  const folder = await writeChart(world.dir, { 'claim.yaml': claim.replace('1Gi', '900Gi') })
  const { id: large } = await order(await world.publish(folder))
  await expect.poll(async () => (await world.row(large)).lastError?.code, { timeout: 30_000 }).toBe('QuotaExceeded')
  expect((await world.row(large)).lastError?.message).toContain('exceeded quota: caelus-platform')
})

test('a chart with a quota of its own is refused, with the reason', async () => {
  const quota = `apiVersion: v1\nkind: ResourceQuota\nmetadata: { name: mine }\nspec: { hard: { pods: "1000" } }\n`
  const { id: refused } = await order(await world.publish(await writeChart(world.dir, { 'quota.yaml': quota })))
  await expect
    .poll(async () => (await world.row(refused)).lastError?.code, { timeout: 30_000 })
    .toBe('AdmissionRefused')
  expect((await world.row(refused)).lastError?.message).toContain('remove ResourceQuota from the chart')
})

test('other settings reach the namespaces that exist', async () => {
  await using other = await WorkerWorld.make()
  const first = await other.worker(settings(DEFAULTS))
  const templateId = await other.publish(await writeChart(other.dir, { 'page.yaml': page('two') }))
  const made = await other.orderWithoutVolume({}, 'settings.example.com', { templateId })
  await other.until(made.id, 'ready')
  await first.stop()
  await other.worker(settings({ ...DEFAULTS, podSecurity: 'privileged', quota: { pods: '5' }, network: undefined }))
  await other.lookAgain(made.id)
  const at = { namespace: made.namespaceName, name: OWN }
  expect((await other.client.get(ResourceQuota, at))?.spec?.hard).toEqual({ pods: '5' })
  expect(await other.client.get(NetworkPolicy, at)).toBeUndefined()
  const labels = (await other.client.get(Namespace, { name: made.namespaceName }))?.metadata.labels
  expect(labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'privileged' })
  expect(labels).not.toHaveProperty('pod-security.kubernetes.io/warn')
  expect((await other.row(made.id)).status).toBe('ready')
})
