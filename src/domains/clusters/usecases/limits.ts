import {
  asUser,
  checkGeneration,
  needsAdmin,
  note,
  refuseUnstorable,
  type Actor,
  type Precondition,
  type Tx,
} from '../../../store/index.ts'
import { countUsage, findLimits, writeLimits } from '../store/index.ts'
import type { OrganizationLimits } from '../types.ts'
import { orderingOrganization, visibleOrganization } from './access.ts'
import type { ClustersDeps } from './deps.ts'
import type { LimitsAndUsage } from './port.ts'

export const getLimits = ({ pool }: ClustersDeps, actor: Actor, organizationId: string): Promise<LimitsAndUsage> =>
  asUser(pool, actor, (tx) => limitsOf(tx, organizationId))

/** What is there already stays, also where it exceeds them. */
export async function setLimits(
  { pool }: ClustersDeps,
  actor: Actor,
  organizationId: string,
  limits: OrganizationLimits,
  precondition: Precondition = {},
): Promise<LimitsAndUsage> {
  needsAdmin(actor, 'set limits of organizations')
  refuseUnstorable({ regions: limits.regions?.join(), machine_types: limits.machineTypes?.join() })
  return await asUser(pool, actor, async (tx) => {
    await orderingOrganization(tx, actor, organizationId, 'set limits')
    const { generation, ...before } = await findLimits(tx, organizationId)
    checkGeneration(generation, precondition)
    await writeLimits(tx, organizationId, limits)
    await note(tx, actor, {
      action: 'limited',
      object: { kind: 'Organization', id: organizationId },
      tenant: organizationId,
      before,
      after: limits,
      detail: { clusters: limits.maxClusters ?? 'no limit', nodes: limits.maxNodes ?? 'no limit' },
    })
    return await limitsOf(tx, organizationId)
  })
}

async function limitsOf(tx: Tx, organizationId: string): Promise<LimitsAndUsage> {
  await visibleOrganization(tx, organizationId)
  return { ...(await findLimits(tx, organizationId)), ...(await countUsage(tx, organizationId)) }
}
