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
import type { Organization, OrganizationRole } from '../types.ts'

export interface OrganizationFilter extends PageOptions {
  /** Exactly this name, in upper or lower case. */
  readonly name?: string | undefined
}

interface OrganizationRow {
  readonly id: string
  readonly name: string
  readonly members: number
  readonly role: OrganizationRole | null
  readonly generation: string
  readonly created_at: Date
}

const SELECT = `
  select id, name, generation, created_at, tenant.role_in(id) as role,
    (select count(*)::int from tenant.organization_members m where m.organization_id = o.id) as members
  from tenant.organizations o where deleted_at is null`

const organizationOf = (row: OrganizationRow): Organization => ({
  id: row.id,
  name: row.name,
  members: row.members,
  role: row.role,
  generation: Number(row.generation),
  createdAt: msOf(row.created_at),
})

/** Undefined: deleted, or hidden from the caller. */
export async function findOrganization(on: Runner, id: string): Promise<Organization | undefined> {
  if (!isId(id)) return undefined
  const [row] = await on.query<OrganizationRow>(`${SELECT} and id = $1`, [id])
  return row && organizationOf(row)
}

/** Until the transaction ends, no other one changes the organization or removes an owner. */
export async function lockOrganization(tx: Tx, id: string): Promise<Organization | undefined> {
  if (!isId(id)) return undefined
  await tx.query('select from tenant.organizations where id = $1 for update', [id])
  return await findOrganization(tx, id)
}

/** The tenants that the caller acts for. */
export async function currentTenants(tx: Tx): Promise<readonly string[]> {
  const [row] = await tx.query<{ tenants: string[] }>('select caelus.current_tenants() as tenants')
  return row?.tenants ?? []
}

/** Newest first. */
export async function listOrganizations(
  on: Runner,
  { limit, after, name }: OrganizationFilter,
): Promise<Listed<Organization>> {
  const rows = await on.query<OrganizationRow>(
    `${SELECT} and ($2::timestamptz is null or (created_at, id) < ($2, $3::uuid))
       and ($4::text is null or lower(name) = lower($4))
     order by created_at desc, id desc limit $1`,
    [limit + 1, ...timeMark(after), name ?? null],
  )
  return listed(rows.map(organizationOf), limit, ({ createdAt, id }) => [markOf(createdAt), id])
}

/** The caller becomes the owner. */
export async function insertOrganization(tx: Tx, id: string, name: string): Promise<void> {
  await tx.query('select tenant.create_organization($1, $2)', [id, name])
}

export async function renameOrganization(tx: Tx, id: string, name: string): Promise<void> {
  await tx.query('update tenant.organizations set name = $2, generation = generation + 1 where id = $1', [id, name])
}

/** Its open invitations are void with it. */
export async function removeOrganization(tx: Tx, id: string): Promise<void> {
  await tx.query('update tenant.organizations set deleted_at = now() where id = $1', [id])
}

/** Names of the organizations that would have no owner without this user. */
export async function solelyOwned(tx: Tx, userId: string): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    `select o.name from tenant.organizations o
     join tenant.organization_members m on m.organization_id = o.id and m.role = 'owner'
     where o.deleted_at is null
     group by o.id having count(*) = 1 and bool_and(m.user_id = $1) order by o.name`,
    [userId],
  )
  return rows.map(({ name }) => name)
}
