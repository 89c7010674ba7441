import { expect, test } from 'vitest'
import { explainNow, previewOf, resourcesOf } from '../../../src/domains/apps/index.ts'
import { Deployment, pathText } from '../../../src/kube/index.ts'
import { ADMIN, WorkerWorld } from './world.ts'

test('an app can be previewed, explained and looked into', async () => {
  await using world = await WorkerWorld.make()
  const { client } = world
  const parts = await world.parts()

  const { userId, templateId } = world
  const input = { userId, templateId, domainname: 'shop.example.com', userValues: { message: 'hello' } }
  const ahead = await previewOf(parts, await world.apps.previewCreate(ADMIN, input))
  expect(ahead.objects.map(({ object, change }) => [object.split('/')[0], change])).toEqual([
    ['Deployment', 'created'],
    ['Ingress', 'created'],
    ['PersistentVolumeClaim', 'created'],
    ['Service', 'created'],
  ])
  expect(ahead.notConsulted).toEqual([expect.stringMatching(/^the API server: namespace .* does not exist yet$/)])

  await world.worker()
  const { id, namespaceName: name } = await world.order({ message: 'hello' })
  await world.until(id, 'ready')

  const inputs = await world.apps.previewUpdate(ADMIN, { id }, { domainname: 'new.example.com' })
  const { objects, values, notConsulted } = await previewOf(parts, inputs)
  expect(objects).toMatchObject([{ object: `Ingress/${name}`, change: 'changed' }])
  expect(objects[0]?.fields.map(({ path }) => pathText(path))).toEqual(['spec.rules[0].host'])
  expect(JSON.stringify(objects)).toContain('new.example.com')
  expect(values).toEqual([
    { path: ['ingress', 'host'], change: 'changed', before: 'shop.example.com', after: 'new.example.com' },
  ])
  expect(notConsulted).toEqual([])
  const nothing = await world.apps.previewUpdate(ADMIN, { id }, { domainname: 'shop.example.com' })
  expect((await previewOf(parts, nothing)).objects).toEqual([])

  const tree = await resourcesOf(parts, id)
  const parentOf = (kind: string) => tree.find((one) => one.kind === kind)?.parent?.split('/')[0] ?? null
  expect([parentOf('Deployment'), parentOf('ReplicaSet'), parentOf('Pod')]).toEqual([null, 'Deployment', 'ReplicaSet'])
  expect(tree.every(({ health }) => health === 'ready')).toBe(true)
  // Kubernetes writes events when it gets to it.
  const events = async () => (await resourcesOf(parts, id)).find(({ kind }) => kind === 'Deployment')?.events ?? []
  await expect.poll(events).not.toEqual([])

  const calm = await explainNow(parts, id, null)
  expect([calm.next, calm.whoseMove]).toEqual(['nothing, until something changes', 'nobody'])
  expect(calm.why).toContain('everything in it is healthy')
  expect((await client.get(Deployment, { namespace: name, name }))?.spec?.replicas).toBe(1)
})
