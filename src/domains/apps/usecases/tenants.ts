import { RefusedFields } from '../../../kernel/index.ts'
import { asUser, found, needsAdmin, note, type Actor, type Listed, type Tx } from '../../../store/index.ts'
import { domainWithin } from '../domain-rules.ts'
import { raise } from '../failures.ts'
import { normaliseDomain } from '../identity.ts'
import {
  countDeployments,
  domainClaim,
  findLimit,
  findOwnedDomain,
  insertOwnedDomain,
  listOwnedDomains,
  lockOrders,
  removeOwnedDomain,
  writeLimit,
  type DomainFilter,
} from '../store/index.ts'
import type { OwnedDomain, Owner } from '../types.ts'
import type { UseCaseDeps } from './deps.ts'
import type { DeploymentLimit } from './port.ts'

/** Refuses one more deployment of a user who has as many as allowed. */
export async function checkLimit({ deploymentsPerUser }: UseCaseDeps, tx: Tx, owner: Owner): Promise<void> {
  await lockOrders(tx, owner.id)
  const most = (await findLimit(tx, owner.id)) ?? deploymentsPerUser
  if (most === undefined) return
  const count = await countDeployments(tx, owner.id)
  if (count >= most) throw raise.TenantLimit(`${owner.email} has ${count} deployments, and the limit is ${most}`)
}

/** Refuses a domain that is reserved, that belongs to another user, or that is not among those which may be ordered. */
export async function checkDomain({ domains }: UseCaseDeps, tx: Tx, domain: string, userId: string): Promise<void> {
  refuseReserved(domain, domains?.reserved ?? [], 'domainname')
  const claim = await domainClaim(tx, domain, userId)
  if (claim === 'own') return
  if (claim === 'other') {
    throw new RefusedFields(
      [{ field: 'domainname', message: 'is below a domain of another user; choose another one' }],
      raise.DomainOwned(`${domain} is below a domain of another user`),
    )
  }
  const allowed = domains?.allowed ?? []
  if (allowed.length === 0 || domainWithin(domain, allowed) !== undefined) return
  const message = `must be below ${allowed.join(' or ')}; an admin may assign you another domain`
  throw new RefusedFields([{ field: 'domainname', message }], raise.DomainNotAllowed(`${domain} ${message}`))
}

function refuseReserved(domain: string, reserved: readonly string[], field: string): void {
  const by = domainWithin(domain, reserved)
  if (by === undefined) return
  throw new RefusedFields(
    [{ field, message: `is reserved for the platform, with everything below ${by}; choose another one` }],
    raise.DomainReserved(`${domain} is reserved for the platform`),
  )
}

export const getDeploymentLimit = (deps: UseCaseDeps, actor: Actor, userId: string): Promise<DeploymentLimit> =>
  asUser(deps.pool, actor, (tx) => limitOf(deps, tx, userId))

export async function setDeploymentLimit(
  deps: UseCaseDeps,
  actor: Actor,
  userId: string,
  most: number | null,
): Promise<DeploymentLimit> {
  needsAdmin(actor, 'change limits')
  return await asUser(deps.pool, actor, async (tx) => {
    const { id } = found(await deps.users.find(tx, userId), 'user', userId)
    await writeLimit(tx, id, most)
    await note(tx, actor, {
      action: 'limited',
      object: { kind: 'User', id },
      tenant: id,
      detail: { deployments: most ?? 'default' },
    })
    return await limitOf(deps, tx, id)
  })
}

async function limitOf({ users, deploymentsPerUser }: UseCaseDeps, tx: Tx, userId: string): Promise<DeploymentLimit> {
  const { id } = found(await users.find(tx, userId), 'user', userId)
  const own = await findLimit(tx, id)
  return {
    most: own ?? deploymentsPerUser ?? null,
    isOwn: own !== undefined,
    deployments: await countDeployments(tx, id),
  }
}

export const listDomains = ({ pool }: UseCaseDeps, actor: Actor, filter: DomainFilter): Promise<Listed<OwnedDomain>> =>
  asUser(pool, actor, (tx) => listOwnedDomains(tx, filter))

export async function createDomain(
  { pool, users, domains }: UseCaseDeps,
  actor: Actor,
  written: string,
  userId: string,
): Promise<OwnedDomain> {
  needsAdmin(actor, 'assign domains')
  const { domain: suffix, problem } = normaliseDomain(written, 'suffix')
  if (suffix === undefined) throw new RefusedFields([problem])
  refuseReserved(suffix, domains?.reserved ?? [], 'suffix')
  return await asUser(pool, actor, async (tx) => {
    const user = await users.find(tx, userId)
    if (user === undefined) throw new RefusedFields([{ field: 'user_id', message: 'names no user' }])
    if (!(await insertOwnedDomain(tx, suffix, user.id))) {
      const why = raise.DomainOwned(`${suffix} belongs to ${(await findOwnedDomain(tx, suffix))?.email} already`)
      throw new RefusedFields([{ field: 'suffix', message: 'belongs to a user already' }], why)
    }
    await note(tx, actor, { action: 'assigned', object: { kind: 'Domain', id: suffix }, tenant: user.id })
    return found(await findOwnedDomain(tx, suffix), 'domain', suffix)
  })
}

export async function deleteDomain({ pool }: UseCaseDeps, actor: Actor, suffix: string): Promise<void> {
  needsAdmin(actor, 'take domains back')
  await asUser(pool, actor, async (tx) => {
    const { userId } = found(await findOwnedDomain(tx, suffix), 'domain', suffix)
    await removeOwnedDomain(tx, suffix)
    await note(tx, actor, { action: 'took back', object: { kind: 'Domain', id: suffix }, tenant: userId })
  })
}
