import { expect, test } from 'vitest'
import { appsUsage } from '../../src/domains/apps/store/index.ts'
import { openIdentity, type IdentityUseCases } from '../../src/identity/index.ts'
import { failureOf } from '../../src/kernel/index.ts'
import { inTx } from '../../src/store/index.ts'
import { appsWorld, codeOf, type AppsWorld } from '../apps/store/world.ts'
import { waitingForLocks } from '../support/postgres.ts'

const identityOf = (w: AppsWorld): IdentityUseCases => openIdentity({ pool: w.database.pool, usage: [appsUsage] })

test('admins create, change and delete users; a member sees only themselves', async () => {
  await using w = await appsWorld()
  const identity = identityOf(w)
  const eve = await identity.createUser(w.admin, { email: 'eve@example.org' })
  expect(eve).toMatchObject({ isAdmin: false, usage: { objects: {}, frozen: false } })
  expect(await codeOf(identity.createUser(w.admin, { email: 'EVE@example.org' }))).toBe('EmailTaken')
  expect(await codeOf(identity.updateUser(w.admin, eve.id, { email: 'ann@example.org' }))).toBe('EmailTaken')
  expect(await identity.updateUser(w.admin, eve.id, { isAdmin: true })).toMatchObject({ isAdmin: true })
  expect(await codeOf(identity.createUser(w.ann, { email: 'x@example.org' }))).toBe('NotAllowed')
  expect(await codeOf(identity.getUser(w.ann, eve.id))).toBe('NotFound')
  expect((await identity.listUsers(w.ann, { limit: 10 })).items.map(({ email }) => email)).toEqual(['ann@example.org'])
  await identity.deleteUser(w.admin, eve.id)
  expect(await codeOf(identity.getUser(w.admin, eve.id))).toBe('NotFound')
  expect((await identity.createUser(w.admin, { email: 'Eve@example.org' })).id).toBe(eve.id)
})

test('the last admin stays one, also when two admins demote each other at once', async () => {
  await using w = await appsWorld()
  const identity = identityOf(w)
  const { userId: root } = w.admin
  expect(await codeOf(identity.updateUser(w.admin, root, { isAdmin: false }))).toBe('LastAdmin')
  expect(await codeOf(identity.deleteUser(w.admin, root))).toBe('LastAdmin')
  const refused = await identity.deleteUser(w.admin, root).catch(failureOf)
  expect(refused).toMatchObject({ message: 'root@example.org is the last admin' })

  const eve = await identity.createUser(w.admin, { email: 'eve@example.org', isAdmin: true })
  const { pool } = w.database
  let second: string | undefined
  await inTx(pool, async (tx) => {
    await tx.query('update caelus.user set is_admin = false where id = $1', [eve.id])
    void codeOf(identity.updateUser({ userId: eve.id, admin: true }, root, { isAdmin: false })).then(
      (code) => (second = code),
    )
    await expect.poll(async () => second !== undefined || (await waitingForLocks(pool)) > 0).toBe(true)
  })
  await expect.poll(() => second).toBe('LastAdmin')
})

test('deleting a user names what the domains still hold for them', async () => {
  await using w = await appsWorld()
  const identity = identityOf(w)
  const { template } = await w.product()
  await w.apps.createDeployment(w.ann, { userId: w.ann.userId, templateId: template.id, domainname: 'a.example.org' })
  const clusters = { noun: 'clusters', of: async () => new Map([[w.ann.userId, { objects: 2, frozen: false }]]) }
  const more = openIdentity({ pool: w.database.pool, usage: [appsUsage, clusters] })
  const refused = await more.deleteUser(w.admin, w.ann.userId).catch(failureOf)
  expect(refused).toMatchObject({ code: 'UserInUse', message: 'ann@example.org has 1 deployment and 2 clusters' })
  expect((await identity.getUser(w.ann, w.ann.userId)).usage).toEqual({ objects: { deployments: 1 }, frozen: false })
})

test('a user whose queue is frozen in any domain is shown as frozen', async () => {
  await using w = await appsWorld()
  await w.apps.freezeTenant(w.admin, w.ann.userId, 'does not pay')
  expect((await identityOf(w).getUser(w.ann, w.ann.userId)).usage.frozen).toBe(true)
  expect((await identityOf(w).getUser(w.bob, w.bob.userId)).usage.frozen).toBe(false)
})
