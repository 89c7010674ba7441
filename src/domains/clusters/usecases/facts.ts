import type { Tx } from '../../../store/index.ts'
import { countUsage, findLimits, isNameTaken, type SeenOrganization } from '../store/index.ts'
import type { Facts } from './problems.ts'

/** Under `lockOrders` what is read stays true until the transaction ends. */
export async function readFacts(
  tx: Tx,
  { id, name: organizationName }: SeenOrganization,
  name: string | undefined,
  butBy: string | null = null,
): Promise<Facts> {
  return {
    organizationName,
    limits: await findLimits(tx, id),
    usage: await countUsage(tx, id),
    isNameTaken: name !== undefined && (await isNameTaken(tx, id, name, butBy)),
  }
}
