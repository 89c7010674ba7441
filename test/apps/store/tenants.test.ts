import { expect, test } from 'vitest'
import { failureOf } from '../../../src/kernel/index.ts'
import type { Actor } from '../../../src/store/index.ts'
import { appsWorld, codeOf, fieldsOf, type AppsWorld } from './world.ts'

type Person = Actor & { readonly userId: string }

const orderer = (w: AppsWorld, templateId: string, apps = w.apps) => {
  let orders = 0
  return ({ userId, ...actor }: Person, domainname = `app${orders++}.example.org`) =>
    apps.createDeployment({ userId, ...actor }, { userId, templateId, domainname })
}

test('a user has as many deployments as the limit allows, also when all are ordered at once', async () => {
  await using w = await appsWorld()
  const { template } = await w.product()
  const order = orderer(w, template.id, w.appsWith({ deploymentsPerUser: 3 }))
  const codes = await Promise.all(Array.from({ length: 8 }, () => codeOf(order(w.ann))))
  expect(codes.toSorted()).toEqual(
    [...Array<string>(3).fill('succeeded'), ...Array<string>(5).fill('TenantLimit')].toSorted(),
  )
  const refused = failureOf(await order(w.ann).catch((error: unknown) => error))
  expect(refused.message).toBe('ann@example.org has 3 deployments, and the limit is 3')
  expect(await codeOf(order(w.bob))).toBe('succeeded')
  // Whoever orders: what counts is whose it is.
  const apps = w.appsWith({ deploymentsPerUser: 3 })
  const forAnn = { userId: w.ann.userId, templateId: template.id, domainname: 'for-ann.example.org' }
  expect(await codeOf(apps.createDeployment(w.admin, forAnn))).toBe('TenantLimit')
  expect(await codeOf(apps.previewCreate(w.ann, forAnn))).toBe('TenantLimit')

  const { items } = await w.apps.listDeployments(w.ann, { limit: 1 })
  await w.database.pool.query(`update caelus.deployment set status = 'deleted', deleted_at = now() where id = $1`, [
    items[0]?.id,
  ])
  expect(await codeOf(order(w.ann))).toBe('succeeded')
})

test('an admin sets another limit for a user, and takes it back', async () => {
  await using w = await appsWorld()
  const { template } = await w.product()
  const apps = w.appsWith({ deploymentsPerUser: 1 })
  const order = orderer(w, template.id, apps)
  await order(w.ann)
  expect(await apps.setDeploymentLimit(w.admin, w.ann.userId, 2)).toEqual({ most: 2, isOwn: true, deployments: 1 })
  await order(w.ann)
  expect(await codeOf(order(w.ann))).toBe('TenantLimit')
  await apps.setDeploymentLimit(w.admin, w.ann.userId, null)
  expect(await apps.getDeploymentLimit(w.ann, w.ann.userId)).toEqual({ most: 1, isOwn: false, deployments: 2 })
  expect(await codeOf(apps.getDeploymentLimit(w.bob, w.ann.userId))).toBe('NotFound')
  expect(await codeOf(apps.setDeploymentLimit(w.ann, w.ann.userId, 9))).toBe('NotAllowed')
})

test('a domain of the platform is refused by name, when ordered and when changed', async () => {
  await using w = await appsWorld()
  const { template } = await w.product()
  const apps = w.appsWith({ domains: { reserved: ['console.example.org', 'svc'], allowed: [] } })
  const order = orderer(w, template.id, apps)
  for (const domain of ['console.example.org', 'Deep.Console.example.org', 'a.default.svc']) {
    expect(await codeOf(order(w.ann, domain))).toBe('DomainReserved')
    expect((await fieldsOf(order(w.ann, domain)))['domainname']).toContain('is reserved for the platform')
  }
  const { id } = await order(w.ann, 'notconsole.example.org')
  const change = { domainname: 'x.console.example.org' }
  expect(await codeOf(apps.updateDeployment(w.ann, { id }, change))).toBe('DomainReserved')
  // One that was ordered before it was reserved is kept.
  const later = w.appsWith({ domains: { reserved: ['example.org'], allowed: [] } })
  expect(await codeOf(later.updateDeployment(w.ann, { id }, { userValues: {} }))).toBe('succeeded')
})

test('a domain that belongs to a user is for them alone, and may be outside of the allowed ones', async () => {
  await using w = await appsWorld()
  const { template } = await w.product()
  const apps = w.appsWith({ domains: { reserved: [], allowed: ['apps.example.org'] } })
  const order = orderer(w, template.id, apps)
  expect(await fieldsOf(order(w.ann, 'shop.example.com'))).toEqual({
    domainname: 'must be below apps.example.org; an admin may assign you another domain',
  })
  expect(await codeOf(order(w.ann, 'myapps.example.org'))).toBe('DomainNotAllowed')
  await order(w.bob, 'bob.apps.example.org')

  expect(await apps.createDomain(w.admin, 'Example.com.', w.ann.userId)).toMatchObject({
    suffix: 'example.com',
    email: 'ann@example.org',
  })
  await order(w.ann, 'shop.example.com')
  expect(await codeOf(order(w.bob, 'other.example.com'))).toBe('DomainOwned')
  expect(await codeOf(order(w.bob, 'otherexample.com'))).toBe('DomainNotAllowed')
  // The longest one decides.
  await apps.createDomain(w.admin, 'bob.example.com', w.bob.userId)
  await order(w.bob, 'bob.example.com')
  expect(await codeOf(order(w.ann, 'x.bob.example.com'))).toBe('DomainOwned')
  await apps.createDomain(w.admin, 'apps.example.org', w.ann.userId)
  expect(await codeOf(order(w.bob, 'new.apps.example.org'))).toBe('DomainOwned')

  expect(await codeOf(apps.createDomain(w.admin, 'example.com', w.bob.userId))).toBe('DomainOwned')
  expect(await codeOf(apps.createDomain(w.ann, 'mine.example', w.ann.userId))).toBe('NotAllowed')
  expect(await fieldsOf(apps.createDomain(w.admin, 'https://x.example', w.ann.userId))).toHaveProperty('suffix')
  expect((await apps.listDomains(w.bob, { limit: 10 })).items.map(({ suffix }) => suffix)).toEqual(['bob.example.com'])
  const [first] = (await apps.listDomains(w.admin, { limit: 1 })).items
  expect(first?.suffix).toBe('apps.example.org')
  const { next } = await apps.listDomains(w.admin, { limit: 1 })
  const rest = await apps.listDomains(w.admin, { limit: 9, after: next ?? [] })
  expect(rest.items.map(({ suffix }) => suffix)).toEqual(['bob.example.com', 'example.com'])

  await apps.deleteDomain(w.admin, 'example.com')
  expect(await codeOf(apps.deleteDomain(w.admin, 'example.com'))).toBe('NotFound')
  expect(await codeOf(order(w.ann, 'again.example.com'))).toBe('DomainNotAllowed')
})
