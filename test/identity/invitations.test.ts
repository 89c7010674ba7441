import { expect, test } from 'vitest'
import type { OrganizationRole } from '../../src/identity/index.ts'
import type { Actor } from '../../src/store/index.ts'
import { codeOf, identityWorld, type IdentityWorld } from './world.ts'

const PAGE = { limit: 50 }
const HOUR = 3_600_000

const invite = (w: IdentityWorld, id: string, email: string, role: OrganizationRole = 'member', inMs = HOUR) =>
  w.identity.invite(w.ann, id, { email, role, expiresAt: Date.now() + inMs })

const rolesIn = async (w: IdentityWorld, id: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await w.identity.listMembers(w.admin, id, PAGE)).items.map(({ email, role }) => [email.split('@')[0], role]),
  )

test('a token makes the user with the invited email a member, and no other user', async () => {
  await using w = await identityWorld()
  const id = await w.organization()
  const { secret } = await invite(w, id, 'BOB@example.org', 'viewer')
  expect(await codeOf(w.identity.acceptInvitation(w.eve, secret))).toBe('InvitationInvalid')
  expect(await w.identity.acceptInvitation(w.bob, secret)).toMatchObject({ id, role: 'viewer', members: 2 })
  expect(await rolesIn(w, id)).toEqual({ ann: 'owner', bob: 'viewer' })
  expect((await w.identity.listInvitations(w.ann, id, PAGE)).items).toEqual([])
})

test('the next login with the invited email accepts, however the email is written', async () => {
  await using w = await identityWorld()
  const [acme, other] = [await w.organization(), await w.organization('Other')]
  await invite(w, acme, 'NEW@example.org', 'owner')
  await invite(w, other, 'new@Example.org', 'viewer')
  await invite(w, acme, 'bob@example.org')
  const user = await w.logins.signIn({
    subject: 'test#new',
    email: 'new@example.org',
    isVerified: true,
    role: 'member',
  })
  expect(await rolesIn(w, acme)).toEqual({ ann: 'owner', new: 'owner' })
  expect(await rolesIn(w, other)).toEqual({ ann: 'owner', new: 'viewer' })
  const seen = await w.identity.listOrganizations({ userId: user?.id ?? '', admin: false }, PAGE)
  expect(seen.items).toHaveLength(2)
  await w.logins.signIn({ subject: 'test#bob', email: 'bob@example.org', isVerified: true, role: 'member' })
  expect(await rolesIn(w, acme)).toEqual({ ann: 'owner', bob: 'member', new: 'owner' })
})

test('an invitation that expired, was revoked, was replaced or whose organization is deleted cannot be accepted', async () => {
  await using w = await identityWorld()
  const id = await w.organization()
  const gone = await w.organization('Gone')
  const logIn = async (email: string): Promise<Actor> => {
    const user = await w.logins.signIn({ subject: `test#${email}`, email, isVerified: true, role: 'member' })
    return { userId: user?.id ?? '', admin: false }
  }
  for (const name of ['a', 'b', 'c', 'd']) await logIn(`${name}@example.org`)
  const outdated = [
    await invite(w, id, 'a@example.org', 'member', -1),
    await invite(w, id, 'b@example.org'),
    await invite(w, gone, 'd@example.org'),
  ]
  const replaced = await invite(w, id, 'c@example.org')
  await w.identity.revokeInvitation(w.ann, id, outdated[1]?.id ?? '')
  await w.identity.deleteOrganization(w.ann, gone)
  for (const { secret, email } of outdated) {
    const invited = await logIn(email)
    expect([email, await codeOf(w.identity.acceptInvitation(invited, secret))]).toEqual([email, 'InvitationInvalid'])
  }
  expect(await codeOf(w.identity.acceptInvitation(w.bob, 'cinv_guessed'))).toBe('InvitationInvalid')
  expect(await rolesIn(w, id)).toEqual({ ann: 'owner' })

  const [{ id: userId } = { id: '' }] = (await w.identity.listUsers(w.admin, { email: 'c@example.org', limit: 1 }))
    .items
  const replacing = await invite(w, id, 'C@example.org', 'viewer')
  const open = (await w.identity.listInvitations(w.ann, id, PAGE)).items.map(({ email }) => email)
  expect(open.toSorted()).toEqual(['C@example.org', 'a@example.org'])
  const accept = (secret: string) => codeOf(w.identity.acceptInvitation({ userId, admin: false }, secret))
  expect([await accept(replaced.secret), await accept(replacing.secret)]).toEqual(['InvitationInvalid', 'done'])
})

test.each<[OrganizationRole, OrganizationRole, OrganizationRole]>([
  ['viewer', 'owner', 'owner'],
  ['owner', 'member', 'owner'],
])('a %s who accepts an invitation as %s is then %s', async (had, invited, has) => {
  await using w = await identityWorld()
  const id = await w.organization()
  const { secret } = await invite(w, id, 'bob@example.org', invited)
  await w.identity.addMember(w.admin, id, { email: w.bob.email, role: had })
  await w.identity.acceptInvitation(w.bob, secret)
  expect(await rolesIn(w, id)).toEqual({ ann: 'owner', bob: has })
  expect(await codeOf(invite(w, id, 'BOB@example.org'))).toBe('MemberExists')
})

test('a member who is removed does not come back through an invitation that was open', async () => {
  await using w = await identityWorld()
  const id = await w.organization()
  const { secret } = await invite(w, id, 'Bob@example.org', 'owner')
  await w.identity.addMember(w.admin, id, { email: 'bob@example.org', role: 'viewer' })
  await w.identity.removeMember(w.ann, id, w.bob.userId)
  await w.logins.signIn({ subject: 'test#bob', email: 'bob@example.org', isVerified: true, role: 'member' })
  expect(await codeOf(w.identity.acceptInvitation(w.bob, secret))).toBe('InvitationInvalid')
  expect(await rolesIn(w, id)).toEqual({ ann: 'owner' })
})

test('a link that its user accepted before leads to the organization again, as long as they are a member', async () => {
  await using w = await identityWorld()
  const id = await w.organization()
  const { secret } = await invite(w, id, 'bob@example.org', 'viewer')
  await w.logins.signIn({ subject: 'test#bob', email: 'bob@example.org', isVerified: true, role: 'member' })
  expect(await w.identity.acceptInvitation(w.bob, secret)).toMatchObject({ id, role: 'viewer', members: 2 })
  await w.identity.removeMember(w.ann, id, w.bob.userId)
  expect(await codeOf(w.identity.acceptInvitation(w.bob, secret))).toBe('InvitationInvalid')
  expect(await rolesIn(w, id)).toEqual({ ann: 'owner' })
})

test('the token is stored as a hash only', async () => {
  await using w = await identityWorld()
  const { secret } = await invite(w, await w.organization(), 'x@example.org')
  const [row] = await w.database.pool.query<{ text: string }>(
    `select i::text || encode(i.sha256, 'escape') as text from tenant.organization_invitations i`,
  )
  expect(row?.text).not.toContain(secret.slice('cinv_'.length))
})
