import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ClassRuntime, KnativeService } from '../../src/domains/runtimes/index.ts'
import { CustomResourceDefinition, Deployment } from '../../src/kube/index.ts'
import { startControlPlane } from '../../tools/control-plane/index.ts'
import { freshFolder } from '../tools/folder.ts'
import { installForeignKinds } from './optional-kinds.ts'
import { fn, RuntimesWorld } from './world.ts'

/** Kinds that come and go would be felt by everybody else, so this has a control plane of its own. */
async function ownWorld(): Promise<RuntimesWorld> {
  const controlPlane = await startControlPlane({ dir: join(await freshFolder(), 'control-plane') })
  onTestFinished(() => controlPlane.stop())
  return RuntimesWorld.make(controlPlane.kubeconfig)
}

/** What Knative would say once its revision runs. */
const isUp = (world: RuntimesWorld, name: string, generation: number | undefined) => {
  const status = { observedGeneration: generation, conditions: [{ type: 'Ready', status: 'True' }] }
  return world.client.patchStatus(KnativeService, world.at(name), { merge: { status } })
}

test('an API that comes is used, and one that goes is not waited for', { timeout: 300_000 }, async () => {
  await using world = await ownWorld()
  const { apis } = await world.controller()
  const input = { selected_template: 'knative', functions: [fn('add'), fn('list')] }
  await world.create('cart', input)
  const { status } = await world.reaches('cart', 'degraded')
  expect(status?.message).toContain('KnativeService')
  await world.create('users', { selected_template: '', functions: [fn('add')] })
  expect((await world.reaches('users', 'available')).status?.template).toBe('k8s_deployment')

  await installForeignKinds(world.client)
  for (const name of ['cart--add', 'cart--list']) {
    const { metadata } = await world.sees(KnativeService, name, () => true)
    await isUp(world, name, metadata.generation)
  }
  expect((await world.reaches('cart', 'available')).status?.functions_ready).toBe('2/2')
  // What runs well is not replaced because something else could be chosen now.
  expect(await world.names(Deployment)).toEqual(['users--add'])

  await world.create('mail', input)
  await world.sees(KnativeService, 'mail--list', () => true)
  await world.client.delete(ClassRuntime, world.at('mail'))
  await world.isGone(ClassRuntime, 'mail')
  expect(await world.names(KnativeService)).toEqual(['cart--add', 'cart--list'])

  await world.client.delete(CustomResourceDefinition, { name: 'services.serving.knative.dev' })
  await expect.poll(() => apis.served(), { timeout: 30_000 }).not.toContain('KnativeService')
  await world.reaches('cart', 'degraded')
  await world.client.delete(ClassRuntime, world.at('cart'))
  await world.isGone(ClassRuntime, 'cart')
})
