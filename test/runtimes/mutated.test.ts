import { expect, test } from 'vitest'
import { Deployment, Namespace } from '../../src/kube/index.ts'
import { MIRROR, mutatingWebhook, SIDECAR } from '../support/mutating-webhook.ts'
import { fn, PATIENCE_MS, RuntimesWorld } from './world.ts'

const imagesOf = ({ spec }: Deployment): (string | undefined)[] =>
  spec?.template.spec?.containers.map(({ image }) => image) ?? []

/** The configuration of a webhook reaches the API server a moment after it is stored. */
async function untilMutated(world: RuntimesWorld): Promise<void> {
  const labels = { app: 'probe' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'probe', image: 'probe' }] } }
  const spec = { selector: { matchLabels: labels }, template }
  const probe = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: world.at('probe'), spec } as const
  const injected = async () => imagesOf(await world.client.apply(Deployment, probe, { dryRun: true }))
  await expect.poll(injected, { timeout: PATIENCE_MS }).toEqual([`${MIRROR}probe`, SIDECAR.image])
}

test('what a webhook makes of a workload is left alone, until the spec asks for something else', async () => {
  await using world = await RuntimesWorld.make()
  const label = { name: 'mutated', value: world.namespace }
  const merge = { metadata: { labels: { [label.name]: label.value } } }
  await world.client.patch(Namespace, { name: world.namespace }, { merge })
  await using webhook = await mutatingWebhook(world.client, label)
  await untilMutated(world)
  const controller = await world.controller()
  const { told } = controller
  const applied: string[] = []
  told.on('runtimes:acted', ({ action, child, failure }) => {
    if (action === 'apply' && child?.kind === 'Deployment' && failure === undefined) applied.push(child.name)
  })
  await world.create('cart')
  await world.reaches('cart', 'available')
  let looks = 0
  told.on('reconcile:end', () => looks++)
  await controller.resync()
  await expect.poll(() => looks, { timeout: PATIENCE_MS }).toBeGreaterThan(0)
  expect(applied).toEqual(['cart--hello'])
  expect(webhook.asked).toBeGreaterThan(0)

  await world.change('cart', { functions: [fn('hello', { container_image: 'registry.example/hello:2' })] })
  const isNew = (one: Deployment) => imagesOf(one).includes(`${MIRROR}registry.example/hello:2`)
  await world.sees(Deployment, 'cart--hello', isNew)
  await world.reaches('cart', 'available')
  expect(applied).toEqual(['cart--hello', 'cart--hello'])
})
