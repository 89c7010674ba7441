import { refuse, RefusedFields } from '../../kernel/index.ts'
import {
  asUser,
  checkGeneration,
  found,
  needsAdmin,
  note,
  refuseUnstorable,
  violates,
  type Actor,
  type Listed,
  type PageOptions,
  type Precondition,
} from '../../store/index.ts'
import { raise } from '../failures.ts'
import {
  changeRole,
  deleteMember,
  findMember,
  insertMember,
  listMembers as listRows,
  listUsers,
  revokeInvitationsOf,
} from '../store/index.ts'
import type { Member, Organization, OrganizationRole } from '../types.ts'
import { about, owned, visible } from './organizations.ts'
import type { IdentityDeps, MemberInput } from './port.ts'

export const listMembers = (
  { pool }: IdentityDeps,
  actor: Actor,
  organizationId: string,
  page: PageOptions,
): Promise<Listed<Member>> =>
  asUser(pool, actor, async (tx) => {
    await visible(tx, organizationId)
    return await listRows(tx, organizationId, page)
  })

/** For admins, who may know every email; owners invite. */
export async function addMember(
  { pool }: IdentityDeps,
  actor: Actor,
  organizationId: string,
  { email, role }: MemberInput,
): Promise<Member> {
  refuseUnstorable({ email })
  return await asUser(pool, actor, async (tx) => {
    const { name } = await visible(tx, organizationId)
    needsAdmin(actor, 'add members without an invitation')
    const [user] = (await listUsers(tx, { email, limit: 1 })).items
    if (user === undefined) throw new RefusedFields([{ field: 'email', message: 'belongs to no user' }])
    if (!(await insertMember(tx, organizationId, user.id, role))) {
      throw raise.MemberExists(`${email} is a member of ${name} already`)
    }
    await note(tx, actor, { action: 'added', ...about(organizationId), detail: { user: user.id, role } })
    return found(await findMember(tx, organizationId, user.id), 'member', user.id)
  })
}

export async function updateMember(
  { pool }: IdentityDeps,
  actor: Actor,
  organizationId: string,
  userId: string,
  role: OrganizationRole,
  precondition: Precondition = {},
): Promise<Member> {
  return await asUser(pool, actor, async (tx) => {
    const organization = await owned(tx, actor, organizationId, 'change the role of a member')
    const before = found(await findMember(tx, organizationId, userId), 'member', userId)
    checkGeneration(before.generation, precondition)
    if (role === before.role) return before
    await changeRole(tx, organizationId, userId, role).catch(lastOwner(organization, before))
    const detail = { user: userId, from: before.role, role }
    await note(tx, actor, { action: 'changed role', ...about(organizationId), detail })
    return found(await findMember(tx, organizationId, userId), 'member', userId)
  })
}

/** A member may leave; an owner may remove others. */
export async function removeMember(
  { pool }: IdentityDeps,
  actor: Actor,
  organizationId: string,
  userId: string,
): Promise<void> {
  await asUser(pool, actor, async (tx) => {
    const organization = await visible(tx, organizationId)
    const isLeaving = actor.userId === userId
    if (!isLeaving && !actor.admin && organization.role !== 'owner') {
      throw refuse.NotAllowed(`only an owner of ${organization.name} may remove members`)
    }
    const member = found(await findMember(tx, organizationId, userId), 'member', userId)
    // Before the row that gives the right to read it is gone.
    await note(tx, actor, {
      action: isLeaving ? 'left' : 'removed',
      ...about(organizationId),
      detail: { user: userId, role: member.role },
    })
    // An open invitation would bring the user back with the next login.
    await revokeInvitationsOf(tx, organizationId, member.email)
    await deleteMember(tx, organizationId, userId).catch(lastOwner(organization, member))
  })
}

const lastOwner =
  ({ name }: Organization, { email }: Member) =>
  (error: unknown): never => {
    if (!violates(error, 'organization_has_owner')) throw error
    throw raise.LastOwner(`${email} is the last owner of ${name}`)
  }
