import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEPLOYMENT_LABEL } from '../../../src/domains/apps/fence.ts'
import { decodeRelease, encodeRelease, recordName } from '../../../src/domains/apps/helm/storage.ts'
import { APPS_BACKOFF } from '../../../src/domains/apps/rollout.ts'
import { APIService, ConfigMap, Namespace, Secret } from '../../../src/kube/index.ts'
import { startControlPlane, type ControlPlane } from '../../../tools/control-plane/index.ts'
import { deadWebhook } from '../../support/dead-webhook.ts'
import { writeChart } from '../helm/world.ts'
import { page } from './charts.ts'
import { ADMIN, WorkerWorld } from './world.ts'

let controlPlane: ControlPlane
let dir: string
let world: WorkerWorld
let templateId: string
let orders = 0

/** A control plane of its own: an API that does not answer keeps every namespace from going. */
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'caelus-deletion-test-'))
  controlPlane = await startControlPlane({ dir })
  world = await WorkerWorld.make({}, controlPlane.kubeconfig)
  templateId = await world.publish(await writeChart(world.dir, { 'page.yaml': page('one') }))
  await world.worker({ backoff: { ...APPS_BACKOFF, baseMs: 200, capMs: 2_000 } })
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await controlPlane.stop()
  await rm(dir, { recursive: true, force: true })
})

async function orderReady() {
  const made = await world.orderWithoutVolume({}, `order-${++orders}.example.com`, { templateId })
  await world.until(made.id, 'ready')
  return made
}

/** Gone with everything, and soon. */
async function isDeleted({ id, namespaceName: name }: { id: string; namespaceName: string }): Promise<void> {
  await world.apps.deleteDeployment(ADMIN, { id })
  await world.until(id, 'deleted', 60_000)
  expect(await world.client.get(Namespace, { name })).toBeUndefined()
}

const overwrite = (namespace: string, release: string) =>
  world.client.patch(Secret, { namespace, name: recordName(namespace, 1) }, { merge: { data: { release } } })

test('a record that nobody can read does not keep it', async () => {
  const made = await orderReady()
  await overwrite(made.namespaceName, Buffer.from('neither gzip nor JSON').toString('base64'))
  await expect.poll(async () => (await world.explain(made.id)).why.join('\n')).toContain('not gzipped JSON')
  await isDeleted(made)
})

/** Nine levels of nine: expanded it would not fit into any memory. */
const bomb = (): string => {
  const levels = Array.from({ length: 9 }, (_, nth) => {
    const inner = nth === 0 ? 'lol' : `*a${nth - 1}`
    return `  a${nth}: &a${nth} [${Array.from({ length: 9 }, () => inner).join(', ')}]`
  })
  return ['apiVersion: v1', 'kind: ConfigMap', 'metadata: { name: page }', 'data:', ...levels, ''].join('\n')
}

test('a record whose manifest is a bomb does not keep it', async () => {
  const made = await orderReady()
  const { namespaceName: namespace } = made
  const secret = await world.client.get(Secret, { namespace, name: recordName(namespace, 1) })
  if (secret === undefined) throw new Error('expected a record')
  await overwrite(namespace, await encodeRelease({ ...(await decodeRelease(secret)), manifest: bomb() }))
  await isDeleted(made)
})

test('an edit by hand that cannot be taken back does not keep it', async () => {
  const made = await orderReady()
  const { id, namespaceName: namespace } = made
  const label = { name: DEPLOYMENT_LABEL, value: id }
  await using _ = await deadWebhook(world.client, {
    label,
    operations: ['CREATE', 'UPDATE'],
    resources: ['configmaps'],
    when: 'request.userInfo.username == "caelus:worker"',
  })
  const at = { namespace, name: 'page' }
  await world.client.patch(ConfigMap, at, { merge: { data: { text: 'theirs' } } }, { fieldManager: 'kubectl-edit' })
  await isDeleted(made)
})

/** Waits until what keeps the namespace is named to whoever asks. */
const named = (id: string, blocker: string) =>
  expect
    .poll(async () => (await world.explain(id)).blockers.join('\n'), { timeout: 60_000, interval: 500 })
    .toContain(blocker)

test('a webhook and an API that do not answer are named as long as they keep it', { timeout: 240_000 }, async () => {
  const [first, second] = [await orderReady(), await orderReady()]
  const label = { name: DEPLOYMENT_LABEL, value: first.id }
  {
    await using webhook = await deadWebhook(world.client, { label, operations: ['DELETE'], resources: ['configmaps'] })
    await world.apps.deleteDeployment(ADMIN, { id: first.id })
    await named(first.id, webhook.name)
  }
  await world.until(first.id, 'deleted')
  const [group, version] = ['dead.example.com', 'v1']
  const name = `${version}.${group}`
  await world.client.create(APIService, {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name },
    spec: {
      group,
      version,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'nobody-answers' },
    },
  })
  await world.apps.deleteDeployment(ADMIN, { id: second.id })
  await named(second.id, name)
  await world.client.delete(APIService, { name })
  await world.until(second.id, 'deleted')
})
