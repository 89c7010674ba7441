import { expect, test } from 'vitest'
import { DEPLOYMENT_LABEL, FENCE_ANNOTATION, USER_LABEL } from '../../../src/domains/apps/fence.ts'
import { Namespace, RoleBinding } from '../../../src/kube/index.ts'
import { writeChart } from '../helm/world.ts'
import { page } from './charts.ts'
import { ADMIN, WorkerWorld } from './world.ts'

test('a namespace that was left without rights by a worker that died gets them from the next', async () => {
  await using world = await WorkerWorld.make()
  const { client, userId } = world
  const templateId = await world.publish(await writeChart(world.dir, { 'page.yaml': page('hello') }))
  const { id, namespaceName: name } = await world.orderWithoutVolume({}, 'left.example.com', { templateId })
  const labels = { [DEPLOYMENT_LABEL]: id, [USER_LABEL]: userId }
  await client.create(Namespace, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels, annotations: { [FENCE_ANNOTATION]: '0' } },
  })
  await world.worker()
  await world.until(id, 'ready')
  const binding = await client.get(RoleBinding, { namespace: name, name: 'caelus-release' })
  expect(binding?.subjects?.map((subject) => subject.name)).toEqual(['caelus:worker', 'caelus:viewer'])
})

test('a worker that starts grants the rights that a namespace of an earlier version lacks', async () => {
  await using world = await WorkerWorld.make()
  const { client } = world
  const templateId = await world.publish(await writeChart(world.dir, { 'page.yaml': page('hello') }))
  const earlier = await world.worker()
  const { id, namespaceName: namespace } = await world.orderWithoutVolume({}, 'old.example.com', { templateId })
  await world.until(id, 'ready')
  await earlier.stop()
  const at = { namespace, name: 'caelus-release' }
  await client.patch(RoleBinding, at, { json: [{ op: 'remove', path: '/subjects/1' }] })
  // Nothing reconciles what belongs to a frozen tenant.
  await world.apps.freezeTenant(ADMIN, world.userId, 'a test')
  await world.worker()
  const subjects = async () => (await client.get(RoleBinding, at))?.subjects?.map(({ name }) => name)
  await expect.poll(subjects, { timeout: 20_000 }).toEqual(['caelus:worker', 'caelus:viewer'])
})
