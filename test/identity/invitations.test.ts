import { expect, test } from 'vitest'
import type { OrganizationRole } from '../../src/identity/index.ts'
import { codeOf, identityWorld, type IdentityWorld } from './world.ts'

const PAGE = { limit: 50 }
const HOUR = 3_600_000

const invite = (w: IdentityWorld, id: string, email: string, role: OrganizationRole = 'member', inMs = HOUR) =>
  w.identity.invite(w.ann, id, { email, role, expiresAt: Date.now() + inMs })

const rolesIn = async (w: IdentityWorld, id: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await w.identity.listMembers(w.admin, id, PAGE)).items.map(({ email, role }) => [email.split('@')[0], role]),
  )

test('a token makes whoever has it a member, once', async () => {
  await using w = await identityWorld()
  const id = await w.organization()
  const { secret } = await invite(w, id, 'someone@example.org', 'viewer')
  expect(await w.identity.acceptInvitation(w.bob, secret)).toMatchObject({ id, role: 'viewer', members: 2 })
  expect(await codeOf(w.identity.acceptInvitation(w.eve, secret))).toBe('InvitationInvalid')
  expect(await rolesIn(w, id)).toEqual({ ann: 'owner', bob: 'viewer' })
  expect((await w.identity.listInvitations(w.ann, id, PAGE)).items).toEqual([])
})

test('the next login with the invited email accepts, however the email is written', async () => {
  await using w = await identityWorld()
  const [acme, other] = [await w.organization(), await w.organization('Other')]
  await invite(w, acme, 'NEW@example.org', 'owner')
  await invite(w, other, 'new@Example.org', 'viewer')
  await invite(w, acme, 'bob@example.org')
  const user = await w.logins.signIn({ subject: 'test#new', email: 'new@example.org', role: 'member' })
  expect(await rolesIn(w, acme)).toEqual({ ann: 'owner', new: 'owner' })
  expect(await rolesIn(w, other)).toEqual({ ann: 'owner', new: 'viewer' })
  const seen = await w.identity.listOrganizations({ userId: user?.id ?? '', admin: false }, PAGE)
  expect(seen.items).toHaveLength(2)
  await w.logins.signIn({ subject: 'test#bob', email: 'bob@example.org', role: 'member' })
  expect(await rolesIn(w, acme)).toEqual({ ann: 'owner', bob: 'member', new: 'owner' })
})

test('an invitation that expired, was revoked, was replaced or whose organization is gone accepts nobody', async () => {
  await using w = await identityWorld()
  const id = await w.organization()
  const gone = await w.organization('Gone')
  const outdated = [
    await invite(w, id, 'a@example.org', 'member', -1),
    await invite(w, id, 'b@example.org'),
    await invite(w, id, 'c@example.org'),
    await invite(w, gone, 'd@example.org'),
  ]
  await w.identity.revokeInvitation(w.ann, id, outdated[1]?.id ?? '')
  const replacing = await invite(w, id, 'C@example.org', 'viewer')
  await w.identity.deleteOrganization(w.ann, gone)
  for (const { secret, email } of outdated) {
    expect([email, await codeOf(w.identity.acceptInvitation(w.bob, secret))]).toEqual([email, 'InvitationInvalid'])
    await w.logins.signIn({ subject: `test#${email}`, email: email.replace('c@', 'z@'), role: 'member' })
  }
  expect(await codeOf(w.identity.acceptInvitation(w.bob, 'cinv_guessed'))).toBe('InvitationInvalid')
  expect(await rolesIn(w, id)).toEqual({ ann: 'owner' })
  const open = (await w.identity.listInvitations(w.ann, id, PAGE)).items.map(({ email }) => email)
  expect(open.toSorted()).toEqual(['C@example.org', 'a@example.org'])
  expect(await codeOf(w.identity.acceptInvitation(w.bob, replacing.secret))).toBe('done')
})

test('an invitation raises the role of a member and never lowers it', async () => {
  await using w = await identityWorld()
  const id = await w.organization()
  const accept = async (role: OrganizationRole): Promise<void> => {
    await w.identity.acceptInvitation(w.bob, (await invite(w, id, 'any@example.org', role)).secret)
  }
  await accept('viewer')
  await accept('owner')
  await accept('member')
  expect(await rolesIn(w, id)).toEqual({ ann: 'owner', bob: 'owner' })
  expect(await codeOf(invite(w, id, 'BOB@example.org'))).toBe('MemberExists')
})

test('a link that its user accepted before leads to the organization again, as long as they are a member', async () => {
  await using w = await identityWorld()
  const id = await w.organization()
  const { secret } = await invite(w, id, 'bob@example.org', 'viewer')
  await w.logins.signIn({ subject: 'test#bob', email: 'bob@example.org', role: 'member' })
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
