import { expect, test } from 'vitest'
import { failureOf } from '../../src/kernel/index.ts'
import type { OrganizationRole } from '../../src/identity/index.ts'
import { asUser, auditOf, inTx, type Actor } from '../../src/store/index.ts'
import { waitingForLocks } from '../support/postgres.ts'
import { codeOf, identityWorld, type IdentityWorld } from './world.ts'

const PAGE = { limit: 50 }
const LATER = Date.now() + 86_400_000

/** Ann's organization, with bob in this role. */
async function withBob(role: OrganizationRole): Promise<IdentityWorld & { readonly id: string }> {
  const w = await identityWorld()
  const id = await w.organization()
  await w.identity.addMember(w.admin, id, { email: w.bob.email, role })
  return { ...w, id }
}

/** What everyone may do with the organization of ann. */
const OPERATIONS: Readonly<
  Record<string, (w: IdentityWorld & { readonly id: string }, by: Actor) => Promise<unknown>>
> = {
  read: (w, by) => w.identity.getOrganization(by, w.id),
  listMembers: (w, by) => w.identity.listMembers(by, w.id, PAGE),
  listInvitations: (w, by) => w.identity.listInvitations(by, w.id, PAGE),
  rename: (w, by) => w.identity.updateOrganization(by, w.id, { name: 'Other' }),
  invite: (w, by) => w.identity.invite(by, w.id, { email: 'new@example.org', role: 'viewer', expiresAt: LATER }),
  add: (w, by) => w.identity.addMember(by, w.id, { email: w.eve.email, role: 'viewer' }),
  promote: (w, by) => w.identity.updateMember(by, w.id, w.bob.userId, 'owner'),
  demote: (w, by) => w.identity.updateMember(by, w.id, w.ann.userId, 'member'),
  remove: (w, by) => w.identity.removeMember(by, w.id, w.ann.userId),
  delete: (w, by) => w.identity.deleteOrganization(by, w.id),
}

const all = (code: string): Record<string, string> =>
  Object.fromEntries(Object.keys(OPERATIONS).map((operation) => [operation, code]))
const LAST = { demote: 'LastOwner', remove: 'LastOwner' }
const READS = { read: 'done', listMembers: 'done' }

test.each<[string, 'ann' | 'bob' | 'eve' | 'admin', OrganizationRole, Record<string, string>]>([
  ['the only owner', 'ann', 'member', { ...all('done'), ...LAST, add: 'NotAllowed' }],
  ['another owner', 'bob', 'owner', { ...all('done'), add: 'NotAllowed' }],
  ['a member', 'bob', 'member', { ...all('NotAllowed'), ...READS }],
  ['a viewer', 'bob', 'viewer', { ...all('NotAllowed'), ...READS }],
  ['a stranger', 'eve', 'member', all('NotFound')],
  ['an admin', 'admin', 'member', { ...all('done'), ...LAST }],
])('what %s may do', async (_, name, role, expected) => {
  const outcomes: Record<string, string> = {}
  for (const [operation, act] of Object.entries(OPERATIONS)) {
    await using w = await withBob(role)
    outcomes[operation] = await codeOf(act(w, w[name]))
  }
  expect(outcomes).toEqual(expected)
})

test('members see their organizations with their role, admins see all, strangers none', async () => {
  await using w = await withBob('viewer')
  await w.identity.createOrganization(w.eve, { name: 'Umbrella' })
  const seenBy = async (actor: Actor) =>
    (await w.identity.listOrganizations(actor, PAGE)).items.map(({ name, role, members }) => [name, role, members])
  expect(await seenBy(w.bob)).toEqual([['Acme', 'viewer', 2]])
  expect(await seenBy(w.eve)).toEqual([['Umbrella', 'owner', 1]])
  expect(new Map((await seenBy(w.admin)).map((seen) => [seen[0], seen]))).toEqual(
    new Map([
      ['Acme', ['Acme', null, 2]],
      ['Umbrella', ['Umbrella', null, 1]],
    ]),
  )
  const { items } = await w.identity.listMembers(w.bob, w.id, PAGE)
  expect(items.map(({ email, role }) => `${email} ${role}`).toSorted()).toEqual([
    'ann@example.org owner',
    'bob@example.org viewer',
  ])
})

test('a name is free again when its organization is deleted, and its members no longer see it', async () => {
  await using w = await withBob('member')
  expect(await codeOf(w.identity.createOrganization(w.eve, { name: 'aCME' }))).toBe('OrganizationNameTaken')
  await w.identity.deleteOrganization(w.ann, w.id)
  expect(await codeOf(w.identity.getOrganization(w.bob, w.id))).toBe('NotFound')
  expect(await codeOf(w.identity.createOrganization(w.eve, { name: 'aCME' }))).toBe('done')
})

test('a change of another generation is refused', async () => {
  await using w = await withBob('member')
  const { generation } = await w.identity.updateOrganization(w.ann, w.id, { name: 'New' }, { ifGeneration: 1 })
  expect(generation).toBe(2)
  expect(await codeOf(w.identity.updateOrganization(w.ann, w.id, { name: 'X' }, { ifGeneration: 1 }))).toBe(
    'ChangedMeanwhile',
  )
  expect(await codeOf(w.identity.deleteOrganization(w.ann, w.id, { ifGeneration: 1 }))).toBe('ChangedMeanwhile')
  const change = (role: OrganizationRole) =>
    w.identity.updateMember(w.ann, w.id, w.bob.userId, role, { ifGeneration: 1 })
  expect(await codeOf(change('viewer'))).toBe('done')
  expect(await codeOf(change('member'))).toBe('ChangedMeanwhile')
})

test('two owners who remove each other at the same time leave one', async () => {
  await using w = await withBob('owner')
  const { pool } = w.database
  let second: string | undefined
  await inTx(pool, async (tx) => {
    await tx.query('delete from tenant.organization_members where user_id = $1', [w.bob.userId])
    void codeOf(w.identity.removeMember(w.bob, w.id, w.ann.userId)).then((code) => (second = code))
    await expect
      .poll(async () => second !== undefined || (await waitingForLocks(pool)) > 0, { timeout: 30_000 })
      .toBe(true)
  })
  await expect.poll(() => second, { timeout: 30_000 }).toBe('LastOwner')
  const { items } = await w.identity.listMembers(w.admin, w.id, PAGE)
  expect(items.map(({ email, role }) => `${email} ${role}`)).toEqual(['ann@example.org owner'])
})

test('the last owner cannot be deleted as a user; others are deleted with their memberships', async () => {
  await using w = await withBob('member')
  const refused = await w.identity.deleteUser(w.admin, w.ann.userId).catch(failureOf)
  expect(refused).toMatchObject({ code: 'LastOwner', message: 'ann@example.org is the last owner of Acme' })
  await w.identity.deleteUser(w.admin, w.bob.userId)
  expect((await w.identity.getOrganization(w.ann, w.id)).members).toBe(1)
})

test('an organization that a domain holds objects of cannot be deleted', async () => {
  const held = new Map<string, { objects: number; frozen: boolean }>()
  await using w = await identityWorld([{ noun: 'clusters', of: async () => held }])
  const id = await w.organization()
  held.set(id, { objects: 2, frozen: false })
  const refused = await w.identity.deleteOrganization(w.ann, id).catch(failureOf)
  expect(refused).toMatchObject({ code: 'OrganizationInUse', message: 'Acme has 2 clusters' })
})

test('rows of an organization are rows of its members, as long as they are members', async () => {
  await using w = await withBob('viewer')
  await w.database.pool.query(`select caelus.wake('clusters', 'Cluster', 'x', $1, 'created')`, [w.id])
  const jobsOf = async (actor: Actor): Promise<number> =>
    (await asUser(w.database.pool, actor, (tx) => tx.query('select from caelus.job'))).length
  expect([await jobsOf(w.ann), await jobsOf(w.bob), await jobsOf(w.eve)]).toEqual([1, 1, 0])
  await w.identity.removeMember(w.bob, w.id, w.bob.userId)
  expect(await jobsOf(w.bob)).toBe(0)
})

test('a viewer sees the keys of the organization and cannot wake or park them; a member can', async () => {
  for (const [role, can] of [
    ['viewer', false],
    ['member', true],
  ] as const) {
    await using w = await withBob(role)
    const api = w.database.openPool({ role: 'caelus_api' })
    const wake = (id: string) =>
      asUser(api, w.bob, (tx) => tx.query(`select caelus.wake('clusters', 'Cluster', $1, $2, 'changed')`, [id, w.id]))
    await w.database.pool.query(`select caelus.wake('clusters', 'Cluster', 'x', $1, 'created')`, [w.id])
    const park = `update caelus.job set due_at = 'infinity' where id = 'x' returning 1`
    expect([role, (await asUser(api, w.bob, (tx) => tx.query(park))).length === 1]).toEqual([role, can])
    const outcome = (promise: Promise<unknown>) =>
      promise.then(
        () => true,
        (error: Error) => !error.message.includes('permission denied to wake'),
      )
    expect([role, await outcome(wake('x')), await outcome(wake('new'))]).toEqual([role, can, can])
  }
})

test('every change has an audit row, which members may read and strangers may not', async () => {
  await using w = await withBob('member')
  await w.identity.updateOrganization(w.ann, w.id, { name: 'New' })
  await w.identity.updateMember(w.ann, w.id, w.bob.userId, 'viewer')
  const { id, secret } = await w.identity.invite(w.ann, w.id, {
    email: 'x@example.org',
    role: 'member',
    expiresAt: LATER,
  })
  await w.identity.revokeInvitation(w.ann, w.id, id)
  const again = await w.identity.invite(w.ann, w.id, { email: w.eve.email, role: 'member', expiresAt: LATER })
  await w.identity.acceptInvitation(w.eve, again.secret)
  await w.identity.removeMember(w.eve, w.id, w.eve.userId)
  await w.identity.removeMember(w.ann, w.id, w.bob.userId)
  await w.identity.deleteOrganization(w.ann, w.id)
  const object = { kind: 'Organization', id: w.id }
  const rows = await auditOf(w.database.pool, object)
  expect(rows.map(({ action, actor }) => `${action} ${actor}`).toReversed()).toEqual([
    `created ${w.ann.userId}`,
    `added ${w.admin.userId}`,
    `changed ${w.ann.userId}`,
    `changed role ${w.ann.userId}`,
    `invited ${w.ann.userId}`,
    `revoked invitation ${w.ann.userId}`,
    `invited ${w.ann.userId}`,
    `joined ${w.eve.userId}`,
    `left ${w.eve.userId}`,
    `removed ${w.ann.userId}`,
    `deleted ${w.ann.userId}`,
  ])
  const text = JSON.stringify(rows)
  expect([text.includes(secret), text.includes(again.secret)]).toEqual([false, false])
  const readable = (actor: Actor) => asUser(w.database.pool, actor, (tx) => auditOf(tx, object))
  expect((await readable(w.bob)).map(({ action }) => action)).toEqual([])
})
