import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConfigMap, CustomResourceDefinition, Secret } from '../../../src/kube/index.ts'
import { ADMIN } from '../worker/world.ts'
import { HostileWorld, type PublishOptions } from './world.ts'

let world: HostileWorld
beforeAll(async () => {
  world = await HostileWorld.make()
  await world.worker.worker({ helm: world.helm })
})
afterAll(() => world[Symbol.asyncDispose]())

const PAGE = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: page }\n'

async function order(domain: string, templates: Readonly<Record<string, string>>, options?: PublishOptions) {
  const templateId = await world.publish({ 'page.yaml': PAGE, ...templates }, options)
  return world.worker.orderWithoutVolume({}, `${domain}.example.com`, { templateId })
}

const recordsIn = (namespace: string) => world.worker.client.list(Secret, { namespace, labels: 'owner=helm' })

const role = (annotations = '{}'): string =>
  `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: { name: evil, annotations: ${annotations} }\nrules: []\n`

test.each([
  ['a cluster-scoped object', 'role', role()],
  ['a cluster-scoped hook', 'hook', role('{ helm.sh/hook: pre-install }')],
  [
    'an object elsewhere',
    'elsewhere',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: evil, namespace: default }\n',
  ],
  ['its own namespace', 'own', 'apiVersion: v1\nkind: Namespace\nmetadata: { name: "{{ .Release.Namespace }}" }\n'],
])('%s is refused before anything is installed', { timeout: 60_000 }, async (_, domain, template) => {
  const { id, namespaceName: namespace } = await order(domain, { 'evil.yaml': template })
  const { lastError } = await world.worker.until(id, 'error', 30_000)
  expect(lastError).toMatchObject({ code: 'ObjectNotAllowed', retryable: false, whoseMove: 'operator' })
  expect(await world.worker.client.get(ConfigMap, { namespace, name: 'page' })).toBe(undefined)
  expect(await recordsIn(namespace)).toEqual([])
  await world.worker.apps.deleteDeployment(ADMIN, { id })
  await world.worker.until(id, 'deleted')
})

test('a template without end ends, and others are served meanwhile', { timeout: 90_000 }, async () => {
  const loop = '{{ $l := until 100000 }}{{ range $l }}{{ range $l }}{{ end }}{{ end }}'
  const endless = await order('endless', { 'loop.yaml': loop })
  const other = await order('other', {})
  await world.worker.until(other.id, 'ready', 30_000)
  const { lastError } = await world.worker.until(endless.id, 'error', 60_000)
  expect(lastError).toMatchObject({ code: 'RenderTimedOut', retryable: false })
  expect(await recordsIn(endless.namespaceName)).toEqual([])
})

test('a hook that never ends is a failed hook', { timeout: 90_000 }, async () => {
  const job = `apiVersion: batch/v1
kind: Job
metadata: { name: stuck, annotations: { helm.sh/hook: pre-install } }
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector: { nowhere: "true" }
      containers: [{ name: stuck, image: stuck }]
`
  const { id } = await order('stuck', { 'job.yaml': job }, { healthTimeoutSec: 2 })
  const failed = async () => (await world.worker.row(id)).lastError?.code
  await expect.poll(failed, { timeout: 60_000 }).toBe('HookFailed')
  await world.worker.apps.deleteDeployment(ADMIN, { id })
})

test('CRDs of a chart stay out of the cluster', { timeout: 60_000 }, async () => {
  const name = 'evils.hostile.example.com'
  const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${name} }
spec:
  group: hostile.example.com
  names: { kind: Evil, plural: evils }
  scope: Namespaced
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`
  const files = { 'crds/evil.yaml': crd }
  const harmless = await order('harmless', {}, { files })
  await world.worker.until(harmless.id, 'ready', 30_000)
  const evil = 'apiVersion: hostile.example.com/v1\nkind: Evil\nmetadata: { name: evil }\n'
  const user = await order('user', { 'evil.yaml': evil }, { files })
  const { lastError } = await world.worker.until(user.id, 'error', 30_000)
  expect(lastError).toMatchObject({ code: 'KindUnknown' })
  expect(await world.worker.client.get(CustomResourceDefinition, { name })).toBe(undefined)
})
