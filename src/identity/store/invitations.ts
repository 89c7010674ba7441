import {
  isId,
  type Listed,
  listed,
  markOf,
  msOf,
  type PageOptions,
  type Runner,
  timeMark,
  type Tx,
} from '../../store/index.ts'
import type { Invitation, OrganizationRole } from '../types.ts'

interface InvitationRow {
  readonly id: string
  readonly email: string
  readonly role: OrganizationRole
  readonly created_at: Date
  readonly expires_at: Date
}

const COLUMNS = 'id, email, role, created_at, expires_at'
const OPEN = 'accepted_at is null and revoked_at is null'

const invitationOf = (row: InvitationRow): Invitation => ({
  id: row.id,
  email: row.email,
  role: row.role,
  createdAt: msOf(row.created_at),
  expiresAt: msOf(row.expires_at),
})

/** Those that are neither accepted nor revoked, newest first. */
export async function listInvitations(
  on: Runner,
  organizationId: string,
  { limit, after }: PageOptions,
): Promise<Listed<Invitation>> {
  const rows = await on.query<InvitationRow>(
    `select ${COLUMNS} from tenant.organization_invitations
     where organization_id = $1 and ${OPEN} and ($3::timestamptz is null or (created_at, id) < ($3, $4::uuid))
     order by created_at desc, id desc limit $2`,
    [organizationId, limit + 1, ...timeMark(after)],
  )
  return listed(rows.map(invitationOf), limit, ({ createdAt, id }) => [markOf(createdAt), id])
}

export interface NewInvitation {
  readonly organizationId: string
  readonly email: string
  readonly role: OrganizationRole
  readonly hash: Buffer
  readonly invitedBy: string | undefined
  readonly expiresAt: Date
}

export async function revokeInvitationsOf(tx: Tx, organizationId: string, email: string): Promise<void> {
  await tx.query(
    `update tenant.organization_invitations set revoked_at = now()
     where organization_id = $1 and lower(email) = lower($2) and ${OPEN}`,
    [organizationId, email],
  )
}

/** Replaces an open invitation of the same email. */
export async function insertInvitation(tx: Tx, invitation: NewInvitation): Promise<Invitation> {
  const { organizationId, email, role, hash, invitedBy, expiresAt } = invitation
  await revokeInvitationsOf(tx, organizationId, email)
  const [row] = await tx.query<InvitationRow>(
    `insert into tenant.organization_invitations (organization_id, email, role, sha256, invited_by, expires_at)
     values ($1, $2, $3, $4, $5, $6) returning ${COLUMNS}`,
    [organizationId, email, role, hash, invitedBy ?? null, expiresAt],
  )
  if (row === undefined) throw new Error(`failed to invite ${email}: the insert returned no row`)
  return invitationOf(row)
}

/** Undefined: the organization has no such open invitation. */
export async function revokeInvitation(tx: Tx, organizationId: string, id: string): Promise<Invitation | undefined> {
  if (!isId(id)) return undefined
  const [row] = await tx.query<InvitationRow>(
    `update tenant.organization_invitations set revoked_at = now()
     where organization_id = $1 and id = $2 and ${OPEN} returning ${COLUMNS}`,
    [organizationId, id],
  )
  return row && invitationOf(row)
}

/** The organization that the caller joined, now or before. Undefined: no invitation of their email has this token. */
export async function acceptInvitation(tx: Tx, hash: Buffer): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>('select tenant.accept_invitation($1) as id', [hash])
  return row?.id
}
