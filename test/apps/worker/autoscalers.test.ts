import { afterAll, beforeAll, expect, test } from 'vitest'
import { Deployment, type Patch } from '../../../src/kube/index.ts'
import { scalerOf, ScaledObject, serve, serveNoMore, VerticalPodAutoscaler } from './autoscaler-kinds.ts'
import { ADMIN, WorkerWorld } from './world.ts'

let world: WorkerWorld
let id: string
let at: { readonly namespace: string; readonly name: string }
const steps: string[] = []

beforeAll(async () => {
  world = await WorkerWorld.make()
  await Promise.all([ScaledObject, VerticalPodAutoscaler].map((kind) => serve(world.client, kind)))
  const { told } = await world.worker()
  told.on('apps:step', ({ step }) => steps.push(step))
  const made = await world.order()
  id = made.id
  at = { namespace: made.namespaceName, name: made.namespaceName }
  await world.until(id, 'ready')
})
afterAll(async () => world[Symbol.asyncDispose]())

const live = async (): Promise<Deployment> => {
  const found = await world.client.get(Deployment, at)
  if (found === undefined) throw new Error(`expected Deployment ${at.name} to be there`)
  return found
}
const replicas = async (): Promise<number | undefined> => (await live()).spec?.replicas
const memory = async (): Promise<unknown> =>
  (await live()).spec?.template.spec?.containers.find(({ name }) => name === 'nginx')?.resources?.requests?.['memory']

const write = (fieldManager: string, patch: Patch) => world.client.patch(Deployment, at, patch, { fieldManager })
const change = (message: string) => world.apps.updateDeployment(ADMIN, { id }, { userValues: { message } })

test('what a ScaledObject of KEDA scales is left alone, also by upgrades', async () => {
  // As KEDA has it: without a kind a Deployment is meant.
  await world.client.create(ScaledObject, scalerOf(ScaledObject, at, { scaleTargetRef: { name: at.name } }))
  steps.length = 0
  await write('keda-operator', { merge: { spec: { replicas: 3 } } })
  await world.lookAgain(id)
  expect([await replicas(), steps]).toEqual([3, []])
  await change('scaled')
  await world.until(id, 'ready')
  expect([await replicas(), steps]).toEqual([3, ['upgrade']])

  // It was left out of that revision; the next one has it again.
  await world.client.delete(ScaledObject, at)
  await write('kubectl-edit', { merge: { spec: { replicas: 2 } } })
  await change('not scaled')
  await world.until(id, 'ready')
  expect(await replicas()).toBe(1)
  steps.length = 0
  await write('kubectl-edit', { merge: { spec: { replicas: 2 } } })
  await expect.poll(replicas, { timeout: 20_000 }).toBe(1)
  await expect.poll(() => steps, { timeout: 20_000 }).toEqual(['repairObjects'])
})

test('what a VerticalPodAutoscaler gives a container is left alone, and nothing else is', async () => {
  const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: at.name }
  await world.client.create(VerticalPodAutoscaler, scalerOf(VerticalPodAutoscaler, at, { targetRef }))
  await world.until(id, 'ready')
  const before = await memory()
  const container = (more: object): Patch => ({
    strategic: { spec: { template: { spec: { containers: [{ name: 'nginx', ...more }] } } } },
  })
  steps.length = 0
  await write('vpa-updater', container({ resources: { requests: { memory: '48Mi' } } }))
  await world.lookAgain(id)
  expect([await memory(), steps]).toEqual(['48Mi', []])
  await change('given more')
  await world.until(id, 'ready')
  expect([await memory(), steps]).toEqual(['48Mi', ['upgrade']])

  steps.length = 0
  await write('vpa-updater', container({ image: 'evil' }))
  await expect.poll(async () => JSON.stringify((await live()).spec), { timeout: 20_000 }).not.toContain('evil')
  expect(await memory()).toBe('48Mi')

  await world.client.delete(VerticalPodAutoscaler, at)
  await change('given no more')
  await world.until(id, 'ready')
  expect(await memory()).toBe(before)
})

test('a kind of autoscaler that is uninstalled stands in nobody’s way', async () => {
  await Promise.all([ScaledObject, VerticalPodAutoscaler].map((kind) => serveNoMore(world.client, kind)))
  await write('kubectl-edit', { merge: { spec: { replicas: 2 } } })
  await expect.poll(replicas, { timeout: 20_000 }).toBe(1)
  expect((await world.until(id, 'ready')).lastError).toBeNull()
})
