import { afterAll, beforeAll, expect, test } from 'vitest'
import { PersistentVolumeClaim } from '../../../src/kube/index.ts'
import { writeChart } from '../helm/world.ts'
import { claim, neverReady, page } from './charts.ts'
import { ADMIN, WorkerWorld } from './world.ts'

let world: WorkerWorld
const steps = new Map<string, string[]>()

/** Data must never go because a rollout goes wrong. */
beforeAll(async () => {
  world = await WorkerWorld.make()
  const { told } = await world.worker({ backoff: { baseMs: 200, capMs: 200, maxAttempts: 2 } })
  told.on('apps:step', ({ deployment, step }) => steps.set(deployment, [...(steps.get(deployment) ?? []), step]))
})
afterAll(async () => world[Symbol.asyncDispose]())

const publish = async (version: string, templates: Record<string, string>) =>
  world.publish(await writeChart(world.dir, templates, { version }), { chartVersion: version, healthTimeoutSec: 3 })

const claimIn = async (namespace: string): Promise<string | undefined> =>
  (await world.client.get(PersistentVolumeClaim, { namespace, name: `${namespace}-data` }))?.metadata.uid

test('an upgrade that drops a claim keeps it', async () => {
  const before = await publish('1.0.0', { 'page.yaml': page('one'), 'claim.yaml': claim })
  const after = await publish('1.1.0', { 'page.yaml': page('two') })
  const { id, namespaceName: namespace } = await world.orderWithoutVolume({}, 'a.example.com', { templateId: before })
  await world.until(id, 'ready')
  const uid = await claimIn(namespace)
  expect(uid).toBeDefined()
  await world.apps.updateDeployment(ADMIN, { id }, { templateId: after })
  await world.until(id, 'ready')
  expect([await world.textIn(namespace), await claimIn(namespace)]).toEqual(['two', uid])
})

test('a failed upgrade is not rolled back over a claim that it brought', async () => {
  const before = await publish('2.0.0', { 'page.yaml': page('one') })
  const newer = { 'page.yaml': page('two'), 'claim.yaml': claim, 'web.yaml': neverReady }
  const after = await publish('2.1.0', newer)
  const { id, namespaceName: namespace } = await world.orderWithoutVolume({}, 'b.example.com', { templateId: before })
  await world.until(id, 'ready')
  await world.apps.updateDeployment(ADMIN, { id }, { templateId: after })
  await expect.poll(() => claimIn(namespace), { timeout: 30_000 }).toBeDefined()
  const uid = await claimIn(namespace)
  await world.until(id, 'stalled', 60_000)
  expect(await claimIn(namespace)).toBe(uid)
  expect(steps.get(id)).not.toContain('rollBack')
})

test('a first install that fails keeps its claim over every try', async () => {
  const templateId = await publish('3.0.0', { 'claim.yaml': claim, 'web.yaml': neverReady })
  const { id, namespaceName: namespace } = await world.orderWithoutVolume({}, 'c.example.com', { templateId })
  await expect.poll(() => claimIn(namespace), { timeout: 30_000 }).toBeDefined()
  const uid = await claimIn(namespace)
  await world.until(id, 'stalled', 60_000)
  expect(await claimIn(namespace)).toBe(uid)
  expect(steps.get(id)).toEqual(['ensureNamespace', 'install', 'upgrade'])
})

test('a first install that fails without a claim is removed before the next try', async () => {
  const templateId = await publish('4.0.0', { 'web.yaml': neverReady })
  const { id } = await world.orderWithoutVolume({}, 'd.example.com', { templateId })
  await world.until(id, 'stalled', 60_000)
  expect(steps.get(id)).toEqual(['ensureNamespace', 'install', 'uninstall', 'install'])
})
