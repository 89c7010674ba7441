import { expect, test } from 'vitest'
import type { TemplateInput } from '../../../src/domains/apps/usecases/index.ts'
import { ConfigMap, Deployment, Secret } from '../../../src/kube/index.ts'
import { writeChart } from '../helm/world.ts'
import { codeOf } from '../store/world.ts'
import { claim, neverReady, page } from './charts.ts'
import { ADMIN, WorkerWorld } from './world.ts'

const textOf = async (world: WorkerWorld, namespace: string, name = 'page'): Promise<string | undefined> =>
  (await world.client.get(ConfigMap, { namespace, name }))?.data?.['text']

const deployedRevisions = async (world: WorkerWorld, namespace: string): Promise<(string | undefined)[]> =>
  (await world.client.list(Secret, { namespace, labels: 'owner=helm,status=deployed' })).map(
    ({ metadata }) => metadata.labels?.['version'],
  )

test('an admin moves a deployment to a newer template, and nobody moves it elsewhere', async () => {
  await using world = await WorkerWorld.make()
  const first = await world.publish(await writeChart(world.dir, { 'page.yaml': page('one') }))
  const version = '1.1.0'
  const newer = { 'page.yaml': page('two'), 'news.yaml': page('new', 'news'), 'claim.yaml': claim }
  const second = await world.publish(await writeChart(world.dir, newer, { version }), { chartVersion: version })
  await world.worker()
  const made = await world.orderWithoutVolume({}, 'shop.example.com', { templateId: first })
  const { id, userId, namespaceName: namespace } = made
  await world.until(id, 'ready')
  expect(await deployedRevisions(world, namespace)).toEqual(['1'])

  const tenant = { userId, admin: false }
  expect(await codeOf(world.apps.updateDeployment(tenant, { id }, { templateId: second }))).toBe('UpgradeNotAllowed')
  expect((await world.row(id)).generation).toBe(1)

  await world.apps.updateDeployment(ADMIN, { id }, { templateId: second })
  const upgrading = await world.until(id, 'upgrading')
  expect([upgrading.desiredTemplateId, upgrading.appliedTemplateId]).toEqual([second, first])
  await world.layVolume({ namespaceName: namespace })
  const upgraded = await world.until(id, 'ready')
  expect(upgraded.appliedTemplateId).toBe(second)
  expect(await deployedRevisions(world, namespace)).toEqual(['2'])
  expect([await textOf(world, namespace), await textOf(world, namespace, 'news')]).toEqual(['two', 'new'])

  const back = world.apps.updateDeployment(ADMIN, { id }, { templateId: first })
  expect(await codeOf(back)).toBe('DowngradeRefused')
  const { id: productId } = await world.apps.createProduct(ADMIN, { name: 'other' })
  const foreign = await world.publish(await writeChart(world.dir, newer, { version: '9.0.0' }), {
    productId,
    chartVersion: '9.0.0',
  })
  expect(await codeOf(world.apps.updateDeployment(ADMIN, { id }, { templateId: foreign }))).toBe('ForeignProduct')
  expect((await world.row(id)).desiredTemplateId).toBe(second)
})

test('an upgrade that fails is taken back, and a corrected one replaces it', async () => {
  await using world = await WorkerWorld.make()
  const publish = async (version: string, templates: Record<string, string>, input: Partial<TemplateInput> = {}) =>
    world.publish(await writeChart(world.dir, templates, { version }), { chartVersion: version, ...input })
  const good = await publish('1.0.0', { 'page.yaml': page('one') })
  const bad = await publish('1.1.0', { 'page.yaml': page('two'), 'web.yaml': neverReady }, { healthTimeoutSec: 20 })
  const corrected = await publish('1.1.1', { 'page.yaml': page('three') })
  await world.worker({ backoff: { baseMs: 600_000, capMs: 600_000, maxAttempts: 8 } })
  const made = await world.orderWithoutVolume({}, 'shop.example.com', { templateId: good })
  const { id, namespaceName: namespace } = made
  await world.until(id, 'ready')

  await world.apps.updateDeployment(ADMIN, { id }, { templateId: bad })
  await expect.poll(async () => (await world.row(id)).lastError?.code, { timeout: 80_000 }).toBe('NeverHealthy')
  const failed = await world.row(id)
  expect(failed.lastError?.message).toMatch(/pod web-.*Unschedulable/)
  expect([failed.status, failed.appliedTemplateId]).toEqual(['upgrading', good])
  await expect.poll(() => textOf(world, namespace), { timeout: 30_000 }).toBe('one')
  const web = () => world.client.get(Deployment, { namespace, name: 'web' })
  await expect.poll(web, { timeout: 30_000 }).toBeUndefined()

  await world.apps.updateDeployment(ADMIN, { id }, { templateId: corrected })
  const ready = await world.until(id, 'ready')
  expect([ready.appliedTemplateId, ready.lastError]).toEqual([corrected, null])
  expect(await textOf(world, namespace)).toBe('three')
})
