import { asUser, found, note, refuseUnstorable, type Actor, type Listed, type PageOptions } from '../../store/index.ts'
import { raise } from '../failures.ts'
import {
  acceptInvitation as acceptRow,
  hasMember,
  insertInvitation,
  listInvitations as listRows,
  revokeInvitation as revokeRow,
} from '../store/index.ts'
import { hashOf, newTokenSecret } from '../token.ts'
import type { Invitation, Organization } from '../types.ts'
import { about, callerId, owned, visible } from './organizations.ts'
import type { IdentityDeps, InvitationInput } from './port.ts'

/** How the token of an invitation begins; it is no API token. */
const INVITATION_MARK = 'cinv_'

export const listInvitations = (
  { pool }: IdentityDeps,
  actor: Actor,
  organizationId: string,
  page: PageOptions,
): Promise<Listed<Invitation>> =>
  asUser(pool, actor, async (tx) => {
    await owned(tx, actor, organizationId, 'see its invitations')
    return await listRows(tx, organizationId, page)
  })

export async function invite(
  { pool }: IdentityDeps,
  actor: Actor,
  organizationId: string,
  { email, role, expiresAt }: InvitationInput,
): Promise<Invitation & { readonly secret: string }> {
  refuseUnstorable({ email })
  return await asUser(pool, actor, async (tx) => {
    const { name } = await owned(tx, actor, organizationId, 'invite members')
    if (await hasMember(tx, organizationId, email)) throw raise.MemberExists(`${email} is a member of ${name} already`)
    const { secret, hash } = newTokenSecret(INVITATION_MARK)
    const made = await insertInvitation(tx, {
      organizationId,
      email,
      role,
      hash,
      invitedBy: actor.userId,
      expiresAt: new Date(expiresAt),
    })
    await note(tx, actor, { action: 'invited', ...about(organizationId), detail: { invitation: made.id, email, role } })
    return { ...made, secret }
  })
}

export const revokeInvitation = (
  { pool }: IdentityDeps,
  actor: Actor,
  organizationId: string,
  id: string,
): Promise<void> =>
  asUser(pool, actor, async (tx) => {
    await owned(tx, actor, organizationId, 'revoke invitations')
    const { email } = found(await revokeRow(tx, organizationId, id), 'open invitation', id)
    const detail = { invitation: id, email }
    await note(tx, actor, { action: 'revoked invitation', ...about(organizationId), detail })
  })

/** By the token, for the user with the invited email. The database writes the audit row. */
export async function acceptInvitation({ pool }: IdentityDeps, actor: Actor, token: string): Promise<Organization> {
  callerId(actor)
  return await asUser(pool, actor, async (tx) => {
    const id = await acceptRow(tx, hashOf(token))
    if (id === undefined) {
      throw raise.InvitationInvalid(
        'the invitation is unknown, expired, revoked or used, or it is for another email than yours',
      )
    }
    return await visible(tx, id)
  })
}
