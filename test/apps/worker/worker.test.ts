import { expect, test } from 'vitest'
import { Deployment, Ingress, Namespace, PersistentVolumeClaim, Service } from '../../../src/kube/index.ts'
import { ADMIN, WorkerWorld } from './world.ts'

test('an order becomes ready, follows its owner, and goes', async () => {
  await using world = await WorkerWorld.make()
  await world.worker()
  const { id, namespaceName: namespace } = await world.order({ message: 'hello' })
  const at = { namespace, name: namespace }

  const ready = await world.until(id, 'ready')
  expect(ready.appliedTemplateId).toBe(world.templateId)
  expect(ready.lastError).toBeNull()
  expect(await world.client.get(Deployment, at)).toBeDefined()
  expect(await world.client.get(Service, at)).toBeDefined()
  expect(await world.client.get(PersistentVolumeClaim, { ...at, name: `${namespace}-data` })).toBeDefined()
  expect((await world.client.get(Ingress, at))?.spec?.rules?.[0]?.host).toBe('shop.example.com')

  await world.apps.updateDeployment(ADMIN, { id }, { domainname: 'new.example.com', userValues: { message: 'moin' } })
  await world.until(id, 'ready')
  expect((await world.client.get(Ingress, at))?.spec?.rules?.[0]?.host).toBe('new.example.com')
  expect(JSON.stringify(await world.client.get(Deployment, at))).toContain('moin')

  await world.apps.deleteDeployment(ADMIN, { id })
  await world.until(id, 'deleted')
  expect(await world.client.get(Namespace, { name: namespace })).toBeUndefined()
})
