import { expect, test } from 'vitest'
import { ConfigMap, Deployment, Namespace, Secret } from '../../../src/kube/index.ts'
import { seen } from '../../support/kube.ts'
import { writeChart } from '../helm/world.ts'
import { claim, hanging, hookOnClaim, MODES, neverReady, onlyIn, page } from './charts.ts'
import { ADMIN, WorkerWorld } from './world.ts'

/* Workers that die right before the request that a step is about. Those of Helm's own are in kill.test.ts. */

const LONG = { timeout: 300_000 }
const TEMPLATES = { 'page.yaml': page('"{{ .Values.ingress.host }}"') }

const hasRecord = (world: WorkerWorld, namespace: string, status: string) => async (): Promise<boolean> =>
  (await world.client.list(Secret, { namespace, labels: `owner=helm,status=${status}` })).length > 0

test('ensureNamespace', LONG, async () => {
  await using world = await WorkerWorld.make()
  const templateId = await world.publish(await writeChart(world.dir, TEMPLATES))
  const mortal = await world.process({ dieAt: '^POST /api/v1/namespaces$' })
  const { id, namespaceName: namespace } = await world.orderWithoutVolume({}, 'a.example.com', { templateId })
  await mortal.died
  expect(await world.client.get(Namespace, { name: namespace })).toBeUndefined()
  await world.process()
  await world.until(id, 'ready')
  expect(await world.textIn(namespace)).toBe('a.example.com')
})

test('unlockRelease', LONG, async () => {
  await using world = await WorkerWorld.make()
  const templateId = await world.publish(await writeChart(world.dir, hanging()))
  const first = await world.process()
  const order = await world.orderWithoutVolume({}, 'a.example.com', { templateId })
  const { id, namespaceName: namespace } = order
  await expect.poll(hasRecord(world, namespace, 'pending-install'), { timeout: 60_000 }).toBe(true)
  await first.kill()
  const mortal = await world.process({ dieAt: `^PUT /api/v1/namespaces/${namespace}/secrets/` })
  await mortal.died
  expect(await hasRecord(world, namespace, 'pending-install')()).toBe(true)
  await world.layVolume(order)
  await world.process()
  await world.until(id, 'ready')
  expect(await world.textIn(namespace)).toBe('a.example.com')
})

test('repairObjects', LONG, async () => {
  await using world = await WorkerWorld.make()
  const templateId = await world.publish(await writeChart(world.dir, TEMPLATES))
  const first = await world.process()
  const { id, namespaceName: namespace } = await world.orderWithoutVolume({}, 'a.example.com', { templateId })
  await world.until(id, 'ready')
  await first.kill()
  const mortal = await world.process({ dieAt: `^PATCH /api/v1/namespaces/${namespace}/configmaps/page$` })
  const at = { namespace, name: 'page' }
  await world.client.patch(ConfigMap, at, { merge: { data: { text: 'theirs' } } }, { fieldManager: 'kubectl-edit' })
  await world.apps.enqueueReconcile(ADMIN, { id }, 'drift')
  await mortal.died
  expect(await world.textIn(namespace)).toBe('theirs')
  await world.process()
  await seen(world.client, ConfigMap, at, ({ data }) => data?.['text'] === 'a.example.com')
  expect((await world.row(id)).status).toBe('ready')
})

test('rollBack', LONG, async () => {
  await using world = await WorkerWorld.make()
  const chart = {
    'page.yaml': page('{{ .Values.user.mode }}'),
    'claim.yaml': claim,
    'web.yaml': onlyIn('broken', neverReady),
    'hook.yaml': hookOnClaim('pre-rollback'),
  }
  const templateId = await world.publish(await writeChart(world.dir, chart), { ...MODES, healthTimeoutSec: 15 })
  const first = await world.process()
  const order = await world.orderWithoutVolume({ mode: 'calm' }, 'a.example.com', { templateId })
  const { id, namespaceName: namespace } = order
  await world.until(id, 'ready')
  await world.apps.updateDeployment(ADMIN, { id }, { userValues: { mode: 'broken' } })
  await expect.poll(hasRecord(world, namespace, 'pending-rollback'), { timeout: 60_000 }).toBe(true)
  await first.kill()
  expect(await world.textIn(namespace)).toBe('broken')
  await world.layVolume(order)
  const { told } = await world.worker({ backoff: { baseMs: 600_000, capMs: 600_000, maxAttempts: 8 } })
  const steps: string[] = []
  told.on('apps:step', ({ step }) => steps.push(step))
  await expect.poll(() => world.textIn(namespace), { timeout: 60_000 }).toBe('calm')
  await expect.poll(() => steps).toEqual(['unlockRelease', 'rollBack'])
  expect(await world.client.get(Deployment, { namespace, name: 'web' })).toBeUndefined()
  expect(await world.row(id)).toMatchObject({ status: 'upgrading', lastError: { code: 'NeverHealthy' } })
})

test('uninstall', LONG, async () => {
  await using world = await WorkerWorld.make()
  const chart = { ...TEMPLATES, 'claim.yaml': claim, 'hook.yaml': hookOnClaim('pre-delete') }
  const templateId = await world.publish(await writeChart(world.dir, chart))
  const first = await world.process()
  const order = await world.orderWithoutVolume({}, 'a.example.com', { templateId })
  const { id, namespaceName: namespace } = order
  await world.until(id, 'ready')
  await world.apps.deleteDeployment(ADMIN, { id })
  await expect.poll(hasRecord(world, namespace, 'uninstalling'), { timeout: 60_000 }).toBe(true)
  await first.kill()
  await world.layVolume(order)
  await world.process()
  await world.until(id, 'deleted')
  expect(await world.client.get(Namespace, { name: namespace })).toBeUndefined()
})

test('the removal of objects that a superseded upgrade has brought', LONG, async () => {
  await using world = await WorkerWorld.make()
  const chart = {
    'page.yaml': page('{{ .Values.user.mode }}'),
    'extra.yaml': onlyIn('hang', page('extra', 'extra')),
    'claim.yaml': claim,
    'hook.yaml': onlyIn('hang', hookOnClaim('post-upgrade')),
  }
  const templateId = await world.publish(await writeChart(world.dir, chart), { ...MODES, healthTimeoutSec: 3_600 })
  const first = await world.process()
  const { id, namespaceName: namespace } = await world.orderWithoutVolume({ mode: 'calm' }, 'a.example.com', {
    templateId,
  })
  await world.until(id, 'ready')
  await world.apps.updateDeployment(ADMIN, { id }, { userValues: { mode: 'hang' } })
  await expect.poll(() => world.textIn(namespace, 'extra'), { timeout: 60_000 }).toBe('extra')
  await first.kill()
  await world.apps.updateDeployment(ADMIN, { id }, { userValues: { mode: 'fine' } })
  const mortal = await world.process({ dieAt: `^DELETE /api/v1/namespaces/${namespace}/configmaps/extra$` })
  await mortal.died
  expect(await world.textIn(namespace, 'extra')).toBe('extra')
  await world.process()
  await world.until(id, 'ready')
  expect([await world.textIn(namespace), await world.textIn(namespace, 'extra')]).toEqual(['fine', undefined])
})

test('deleteNamespace', LONG, async () => {
  await using world = await WorkerWorld.make()
  const templateId = await world.publish(await writeChart(world.dir, TEMPLATES))
  const first = await world.process()
  const { id, namespaceName: namespace } = await world.orderWithoutVolume({}, 'a.example.com', { templateId })
  await world.until(id, 'ready')
  await first.kill()
  await world.apps.deleteDeployment(ADMIN, { id })
  const mortal = await world.process({ dieAt: `^DELETE /api/v1/namespaces/${namespace}$` })
  await mortal.died
  expect((await world.client.get(Namespace, { name: namespace }))?.metadata.deletionTimestamp).toBeUndefined()
  expect(await world.textIn(namespace)).toBeUndefined()
  await world.process()
  await world.until(id, 'deleted')
  expect(await world.client.get(Namespace, { name: namespace })).toBeUndefined()
})
