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
import type { Member, OrganizationRole } from '../types.ts'

interface MemberRow {
  readonly user_id: string
  readonly email: string
  readonly role: OrganizationRole
  readonly generation: string
  readonly created_at: Date
}

const memberOf = (row: MemberRow): Member => ({
  userId: row.user_id,
  email: row.email,
  role: row.role,
  generation: Number(row.generation),
  createdAt: msOf(row.created_at),
})

/** Newest first. */
export async function listMembers(
  on: Runner,
  organizationId: string,
  { limit, after }: PageOptions,
): Promise<Listed<Member>> {
  const rows = await on.query<MemberRow>(
    `select * from tenant.members_of($1) where ($3::timestamptz is null or (created_at, user_id) < ($3, $4::uuid))
     order by created_at desc, user_id desc limit $2`,
    [organizationId, limit + 1, ...timeMark(after)],
  )
  return listed(rows.map(memberOf), limit, ({ createdAt, userId }) => [markOf(createdAt), userId])
}

export async function findMember(on: Runner, organizationId: string, userId: string): Promise<Member | undefined> {
  if (!isId(userId)) return undefined
  const [row] = await on.query<MemberRow>('select * from tenant.members_of($1) where user_id = $2', [
    organizationId,
    userId,
  ])
  return row && memberOf(row)
}

/** Whether a member has this email. */
export async function hasMember(on: Runner, organizationId: string, email: string): Promise<boolean> {
  const rows = await on.query('select 1 from tenant.members_of($1) where lower(email) = lower($2)', [
    organizationId,
    email,
  ])
  return rows.length > 0
}

/** False: the user is a member already. */
export async function insertMember(
  tx: Tx,
  organizationId: string,
  userId: string,
  role: OrganizationRole,
): Promise<boolean> {
  const rows = await tx.query(
    `insert into tenant.organization_members (organization_id, user_id, role) values ($1, $2, $3)
     on conflict do nothing returning 1`,
    [organizationId, userId, role],
  )
  return rows.length > 0
}

export async function changeRole(
  tx: Tx,
  organizationId: string,
  userId: string,
  role: OrganizationRole,
): Promise<void> {
  await tx.query(
    `update tenant.organization_members set role = $3, generation = generation + 1
     where organization_id = $1 and user_id = $2`,
    [organizationId, userId, role],
  )
}

export async function deleteMember(tx: Tx, organizationId: string, userId: string): Promise<void> {
  await tx.query('delete from tenant.organization_members where organization_id = $1 and user_id = $2', [
    organizationId,
    userId,
  ])
}
