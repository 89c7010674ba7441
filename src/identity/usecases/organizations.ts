import { randomUUID } from 'node:crypto'
import { refuse, RefusedFields } from '../../kernel/index.ts'
import {
  asUser,
  checkGeneration,
  found,
  note,
  refuseUnstorable,
  violates,
  type Actor,
  type Listed,
  type Precondition,
  type Tx,
} from '../../store/index.ts'
import { raise } from '../failures.ts'
import {
  currentTenants,
  findOrganization,
  insertOrganization,
  listOrganizations as listRows,
  lockOrganization,
  removeOrganization,
  renameOrganization,
  type OrganizationFilter,
} from '../store/index.ts'
import type { Organization } from '../types.ts'
import { objectsText, totalUsage } from '../usage.ts'
import type { IdentityDeps, OrganizationInput } from './port.ts'

/** The object and tenant of an audit row about an organization; members and invitations belong to its history. */
export const about = (id: string) => ({ object: { kind: 'Organization', id }, tenant: id })

export async function visible(tx: Tx, id: string): Promise<Organization> {
  return found(await findOrganization(tx, id), 'organization', id)
}

/** `NotFound` for users who are not members, `NotAllowed` for members who are not owners. */
export async function owned(tx: Tx, actor: Actor, id: string, toDo: string): Promise<Organization> {
  const organization = found(await lockOrganization(tx, id), 'organization', id)
  if (!actor.admin && organization.role !== 'owner') {
    throw refuse.NotAllowed(`only an owner of ${organization.name} may ${toDo}`)
  }
  return organization
}

/** The id of the caller. The platform itself belongs to no organization. */
export function callerId({ userId }: Actor): string {
  if (userId === undefined) throw refuse.NotAllowed('only a user may belong to an organization')
  return userId
}

export const listTenants = ({ pool }: IdentityDeps, actor: Actor): Promise<readonly string[]> =>
  asUser(pool, actor, currentTenants)

export async function listOrganizations(
  { pool }: IdentityDeps,
  actor: Actor,
  filter: OrganizationFilter,
): Promise<Listed<Organization>> {
  refuseUnstorable({ name: filter.name })
  return await asUser(pool, actor, (tx) => listRows(tx, filter))
}

export const getOrganization = ({ pool }: IdentityDeps, actor: Actor, id: string): Promise<Organization> =>
  asUser(pool, actor, (tx) => visible(tx, id))

export async function createOrganization(
  { pool }: IdentityDeps,
  actor: Actor,
  { name }: OrganizationInput,
): Promise<Organization> {
  refuseUnstorable({ name })
  const owner = callerId(actor)
  return await asUser(pool, actor, async (tx) => {
    const id = randomUUID()
    await insertOrganization(tx, id, name).catch(nameTaken(name))
    await note(tx, actor, { action: 'created', ...about(id), after: { name }, detail: { owner } })
    return await visible(tx, id)
  })
}

export async function updateOrganization(
  { pool }: IdentityDeps,
  actor: Actor,
  id: string,
  { name }: Partial<OrganizationInput>,
  precondition: Precondition = {},
): Promise<Organization> {
  refuseUnstorable({ name })
  return await asUser(pool, actor, async (tx) => {
    const before = await owned(tx, actor, id, 'change it')
    checkGeneration(before.generation, precondition)
    if (name === undefined || name === before.name) return before
    await renameOrganization(tx, id, name).catch(nameTaken(name))
    await note(tx, actor, { action: 'changed', ...about(id), before: { name: before.name }, after: { name } })
    return await visible(tx, id)
  })
}

export async function deleteOrganization(
  { pool, usage }: IdentityDeps,
  actor: Actor,
  id: string,
  precondition: Precondition = {},
): Promise<void> {
  await asUser(pool, actor, async (tx) => {
    const before = await owned(tx, actor, id, 'delete it')
    checkGeneration(before.generation, precondition)
    const inTheWay = objectsText((await totalUsage(usage, tx, [id]))(id))
    if (inTheWay !== '') throw raise.OrganizationInUse(`${before.name} has ${inTheWay}`)
    await removeOrganization(tx, id)
    await note(tx, actor, { action: 'deleted', ...about(id), before: { name: before.name } })
  })
}

const nameTaken =
  (name: string) =>
  (error: unknown): never => {
    if (!violates(error, 'organizations_name')) throw error
    throw new RefusedFields(
      [{ field: 'name', message: 'belongs to another organization' }],
      raise.OrganizationNameTaken(`there is an organization called ${name} already`),
    )
  }
