import { expect, test } from 'vitest'
import type { Person } from '../world.ts'
import { appsWorld } from './world.ts'

test('a limit and a domain that an admin sets hold for members, who see their own', async () => {
  await using w = await appsWorld()
  const { template_id } = await w.product()
  const [ann, bob] = [await w.person('member'), await w.person('member')]
  const ask = async (by: Person, method: 'GET' | 'PUT' | 'POST' | 'DELETE', url: string, payload?: object) =>
    await w.as(by.secret, { method, url: `/api/v1${url}`, ...(payload && { payload }) })
  const order = async (by: Person, domainname: string) =>
    (await ask(by, 'POST', `/users/${by.userId}/deployments`, { template_id, domainname })).json()

  const limit = `/users/${ann.userId}/deployment-limit`
  expect((await ask(ann, 'PUT', limit, { most: 9 })).statusCode).toBe(403)
  expect((await ask(w.admin, 'PUT', limit, { most: 1 })).json()).toEqual({ most: 1, is_default: false, deployments: 0 })
  await order(ann, 'a.example.test')
  expect(await order(ann, 'b.example.test')).toMatchObject({ status: 409, code: 'TenantLimit' })
  expect((await ask(ann, 'GET', limit)).json()).toEqual({ most: 1, is_default: false, deployments: 1 })
  expect((await ask(bob, 'GET', limit)).statusCode).toBe(404)

  const domain = { suffix: 'shop.test', user_id: ann.userId }
  expect((await ask(bob, 'POST', '/domains', domain)).statusCode).toBe(403)
  expect((await ask(w.admin, 'POST', '/domains', domain)).json()).toMatchObject({ suffix: 'shop.test' })
  expect(await order(bob, 'x.shop.test')).toMatchObject({
    status: 409,
    code: 'DomainOwned',
    errors: [{ field: 'domainname' }],
  })
  expect((await ask(ann, 'GET', '/domains')).json().items).toMatchObject([{ suffix: 'shop.test' }])
  expect((await ask(bob, 'GET', '/domains')).json().items).toEqual([])
  expect((await ask(w.admin, 'DELETE', '/domains/shop.test')).statusCode).toBe(204)
  expect(await order(bob, 'x.shop.test')).toMatchObject({ status: 'pending' })
})
