import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createNamespace, installFence } from '../../../src/domains/apps/fence.ts'
import { systemClock } from '../../../src/kernel/index.ts'
import { Namespace } from '../../../src/kube/index.ts'
import { page } from './charts.ts'
import { writeChart } from '../helm/world.ts'
import { ADMIN, WorkerWorld } from './world.ts'

test('a namespace that arrives after its deployment was deleted is removed', { timeout: 120_000 }, async () => {
  await using world = await WorkerWorld.make()
  const { client, userId } = world
  const templateId = await world.publish(await writeChart(world.dir, { 'page.yaml': page('hello') }))
  await installFence(client)
  await world.worker({ driftScanMs: 1_000 })
  const { id, namespaceName: namespace } = await world.orderWithoutVolume({}, 'late.example.com', { templateId })
  await world.until(id, 'ready')
  await world.apps.deleteDeployment(ADMIN, { id })
  await world.until(id, 'deleted')
  expect(await client.get(Namespace, { name: namespace })).toBe(undefined)

  const stranger = `stranger-${randomBytes(4).toString('hex')}`
  const ofAnother = { namespace: stranger, deploymentId: stranger, userId, fence: 1 }
  await createNamespace({ client, clock: systemClock }, ofAnother)
  await createNamespace({ client, clock: systemClock }, { namespace, deploymentId: id, userId, fence: 1 })
  await expect.poll(() => client.get(Namespace, { name: namespace }), { timeout: 60_000 }).toBe(undefined)
  expect((await client.get(Namespace, { name: stranger }))?.metadata.deletionTimestamp).toBe(undefined)
  await client.delete(Namespace, { name: stranger })
})
