import { isId, type Runner } from '../../../store/index.ts'

/** An organization as its caller sees it. */
export interface SeenOrganization {
  readonly id: string
  readonly name: string
  /** Of the caller; null: an admin who does not belong to it. */
  readonly role: 'owner' | 'member' | 'viewer' | null
}

/** Undefined: deleted, or hidden from the caller. */
export async function findOrganization(on: Runner, id: string): Promise<SeenOrganization | undefined> {
  if (!isId(id)) return undefined
  const [row] = await on.query<SeenOrganization>(
    `select id, name, tenant.role_in(id) as role from tenant.organizations where id = $1 and deleted_at is null`,
    [id],
  )
  return row
}

/** Emails by id: of the members, and of whom else the caller may see among `ids`. */
export async function emailsIn(
  on: Runner,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await on.query<{ id: string; email: string }>(
    `select user_id as id, email from tenant.members_of($1)
     union select id, email from caelus.user where id = any ($2::uuid[])`,
    [organizationId, ids.filter(isId)],
  )
  return new Map(rows.map(({ id, email }) => [id, email]))
}
