import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEPLOYMENT_LABEL } from '../../../src/domains/apps/fence.ts'
import { previewOf } from '../../../src/domains/apps/preview.ts'
import { ConfigMap, PersistentVolume, PersistentVolumeClaim, Secret, StorageClass } from '../../../src/kube/index.ts'
import { deadWebhook } from '../../support/dead-webhook.ts'
import { seen } from '../../support/kube.ts'
import { writeChart } from '../helm/world.ts'
import { claim, page } from './charts.ts'
import { ADMIN, WorkerWorld } from './world.ts'

const CLASS = 'test-expandable'
const HOST = '"{{ .Values.ingress.host }}"'
const BY_HAND = { fieldManager: 'kubectl-edit' }

let world: WorkerWorld
const steps: string[] = []

beforeAll(async () => {
  world = await WorkerWorld.make()
  const { told } = await world.worker()
  told.on('apps:step', ({ step }) => steps.push(step))
})
afterAll(async () => world[Symbol.asyncDispose]())

async function orderReady(templates: Record<string, string>, prepare = async (_namespace: string) => {}) {
  const templateId = await world.publish(await writeChart(world.dir, { 'page.yaml': page(HOST), ...templates }))
  const made = await world.orderWithoutVolume({}, 'before.example.com', { templateId })
  await prepare(made.namespaceName)
  await world.until(made.id, 'ready')
  steps.length = 0
  return made
}

const namedIn = async (id: string) => (await world.row(id)).unrepairable.map(({ object, path }) => [object, path])

/** A change is applied in spite of it, and what is said of it stays true. */
async function stillChanges(id: string, namespace: string, domainname: string): Promise<void> {
  const before = await namedIn(id)
  const inputs = await world.apps.previewUpdate(ADMIN, { id }, { domainname })
  const { objects, leftAlone } = await previewOf(await world.parts(), inputs)
  expect(objects.map(({ object }) => object)).toEqual(['ConfigMap/page'])
  expect(leftAlone.map(({ object, path }) => [object, path])).toEqual(before)
  await world.apps.updateDeployment(ADMIN, { id }, { domainname })
  await world.until(id, 'ready')
  expect([await world.textIn(namespace), await namedIn(id)]).toEqual([domainname, before])
}

test('a claim that somebody has expanded stays so, and blocks nothing', async () => {
  await using _ = await expandable()
  await using volumes = new AsyncDisposableStack()
  const labelled = claim.replace('metadata: {', 'metadata: { labels: { tier: data },')
  const classed = labelled.replace('spec:', `spec:\n  storageClassName: ${CLASS}`)
  const made = await orderReady({ 'claim.yaml': classed }, async (namespace) => {
    volumes.use(await volumeFor(namespace))
  })
  const { id, namespaceName: namespace } = made
  const at = { namespace, name: `${namespace}-data` }
  await seen(world.client, PersistentVolumeClaim, at, ({ status }) => status?.phase === 'Bound')
  const storage = '2Gi'
  await world.client.patchStatus(PersistentVolumeClaim, at, { merge: { status: { capacity: { storage } } } })
  const spec = { resources: { requests: { storage } } }
  await world.client.patch(PersistentVolumeClaim, at, { merge: { spec } }, BY_HAND)

  const named = [[`PersistentVolumeClaim/${namespace}-data`, 'spec.resources.requests.storage']]
  await expect.poll(() => namedIn(id), { timeout: 30_000 }).toEqual(named)
  expect((await world.row(id)).status).toBe('ready')
  expect((await world.explain(id)).why.join('\n')).toMatch(
    /spec\.resources\.requests\.storage of PersistentVolumeClaim\/.* was changed by hand and cannot be changed back: .*less than/,
  )
  expect(steps).toEqual([])
  await stillChanges(id, namespace, 'after.example.com')
  await stillChanges(id, namespace, 'later.example.com')
  const size = async () => (await world.client.get(PersistentVolumeClaim, at))?.spec?.resources?.requests?.['storage']
  expect(await size()).toBe(storage)

  // Another field of the same object, which can be taken back.
  steps.length = 0
  const metadata = { labels: { tier: 'other' } }
  await world.client.patch(PersistentVolumeClaim, at, { merge: { metadata } }, BY_HAND)
  await seen(world.client, PersistentVolumeClaim, at, (one) => one.metadata.labels?.['tier'] === 'data')
  await world.lookAgain(id)
  expect([steps, await size(), await namedIn(id)]).toEqual([['repairObjects'], storage, named])
})

async function expandable(): Promise<AsyncDisposable> {
  await world.client.create(StorageClass, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: CLASS },
    provisioner: 'example.com/nobody',
    allowVolumeExpansion: true,
  })
  return { [Symbol.asyncDispose]: async () => void (await world.client.delete(StorageClass, { name: CLASS })) }
}

async function volumeFor(namespace: string): Promise<AsyncDisposable> {
  const name = `expandable-${namespace}`
  await world.client.create(PersistentVolume, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: CLASS,
      hostPath: { path: `/nowhere/${name}` },
      claimRef: { namespace, name: `${namespace}-data` },
    },
  })
  return { [Symbol.asyncDispose]: async () => void (await world.client.delete(PersistentVolume, { name })) }
}

const locked = `apiVersion: v1
kind: Secret
metadata: { name: locked }
stringData: { text: ours, other: ours }
`

test('a Secret that somebody has changed and made immutable stays so, and blocks nothing', async () => {
  const { id, namespaceName: namespace } = await orderReady({ 'secret.yaml': locked })
  const at = { namespace, name: 'locked' }
  const data = { text: Buffer.from('theirs').toString('base64') }
  await world.client.patch(Secret, at, { merge: { data, immutable: true } }, BY_HAND)
  await expect.poll(() => namedIn(id), { timeout: 30_000 }).toEqual([['Secret/locked', 'data.text']])
  expect((await world.row(id)).status).toBe('ready')
  expect((await world.explain(id)).why.join('\n')).toMatch(/data\.text of Secret\/locked .*immutable/)
  expect(steps).toEqual([])
  await stillChanges(id, namespace, 'immutable.example.com')
  await stillChanges(id, namespace, 'unchanged.example.com')
  expect((await world.client.get(Secret, at))?.data?.['text']).toBe(data.text)
})

test('what a dead webhook keeps from being repaired is told, repaired once it is gone, and deletable', async () => {
  const { id, namespaceName: namespace } = await orderReady({ 'more.yaml': page('more', 'more') })
  const label = { name: DEPLOYMENT_LABEL, value: id }
  const ours = 'request.userInfo.username.startsWith("caelus:")'
  const blocking = { label, operations: ['CREATE', 'UPDATE'], resources: ['configmaps'], when: ours } as const
  const at = { namespace, name: 'more' }
  const meddle = (text: string) => world.client.patch(ConfigMap, at, { merge: { data: { text } } }, BY_HAND)
  {
    await using webhook = await deadWebhook(world.client, blocking)
    await untilRefused(namespace)
    await meddle('theirs')
    await expect.poll(() => namedIn(id), { timeout: 30_000 }).toEqual([['ConfigMap/more', 'data.text']])
    expect((await world.row(id)).status).toBe('ready')
    expect((await world.explain(id)).why.join('\n')).toContain(webhook.name)
  }
  await expect
    .poll(async () => (await world.lookAgain(id), world.textIn(namespace, 'more')), { timeout: 30_000 })
    .toBe('more')
  expect(await namedIn(id)).toEqual([])

  await using _ = await deadWebhook(world.client, blocking)
  await untilRefused(namespace)
  await meddle('theirs again')
  await expect.poll(() => namedIn(id), { timeout: 30_000 }).toHaveLength(1)
  await world.apps.deleteDeployment(ADMIN, { id })
  await world.until(id, 'deleted')
})

/** The API server learns of webhooks when it gets to it. */
async function untilRefused(namespace: string): Promise<void> {
  const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'probe' } } as const
  const worker = world.client.as({ user: 'caelus:worker' })
  const ask = () => worker.create(ConfigMap, probe, { dryRun: true }).then(() => 'passes', String)
  await expect.poll(ask, { timeout: 20_000 }).toContain('failed calling webhook')
}
