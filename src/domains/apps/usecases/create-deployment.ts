import { randomUUID } from 'node:crypto'
import { RefusedFields } from '../../../kernel/index.ts'
import { asUser, violates, type Actor, type Tx } from '../../../store/index.ts'
import { raise } from '../failures.ts'
import { deploymentUid } from '../identity.ts'
import { deploymentKey, WAKE_REASON } from '../queue.ts'
import {
  canBeOrdered,
  DOMAIN_INDEX,
  findDeployment,
  findProduct,
  HAS_CLUSTER,
  insertDeployment,
  type ListedDeployment,
  type NewDeployment,
} from '../store/index.ts'
import { found, note } from '../../../store/index.ts'
import { intendCreate, noCluster } from './intent.ts'
import { refuseMissingKinds } from './missing-kinds.ts'
import type { DeploymentInput } from './port.ts'
import type { UseCaseDeps } from './deps.ts'

/** Row, word of it and wake commit together, or nothing does. */
export async function createDeployment(
  deps: UseCaseDeps,
  actor: Actor,
  input: DeploymentInput,
): Promise<ListedDeployment> {
  // Which kinds another cluster has, its worker finds out.
  if (input.clusterId == null) await refuseMissingKinds(deps, actor, input.templateId)
  return await asUser(deps.pool, actor, async (tx) => {
    const id = randomUUID()
    const { owner, clusterId, template, intent } = await intendCreate(deps, tx, id, input)
    const product = found(await findProduct(tx, template.productId), 'product', template.productId)
    const name = (): string => deploymentUid({ productName: product.name, email: owner.email }, deps.random)
    await insertNamed(tx, name, { id, userId: owner.id, clusterId, ...intent })
    if (!(await canBeOrdered(tx, owner.id, template.id))) {
      throw new RefusedFields([{ field: 'template_id', message: 'was deleted at this moment' }])
    }
    await deps.queue.wakeIn(tx, {
      key: deploymentKey(id),
      wake: { reason: WAKE_REASON.create, tenant: owner.id },
    })
    await note(tx, actor, {
      action: 'created',
      object: deploymentKey(id),
      tenant: owner.id,
      after: intent,
      detail: { generation: 1, chartVersion: template.chartVersion, ...(clusterId !== null && { clusterId }) },
    })
    return found(await findDeployment(tx, { id }), 'deployment', id)
  })
}

/** More collisions than chance can explain. */
const MOST_DRAWS = 20

async function insertNamed(tx: Tx, name: () => string, row: Omit<NewDeployment, 'deploymentUid'>): Promise<void> {
  for (let draw = 0; draw < MOST_DRAWS; draw++) {
    if (await insertDeployment(tx, { ...row, deploymentUid: name() }).catch(refusedOrder(row.domainname))) return
  }
  throw new Error(`failed to find a free name for the deployment in ${MOST_DRAWS} draws`)
}

const refusedOrder =
  (domain: string) =>
  (error: unknown): never => {
    if (violates(error, HAS_CLUSTER)) throw noCluster()
    return domainTaken(domain)(error)
  }

/** For `catch`: tells the index's refusal in our words. */
export const domainTaken =
  (domain: string) =>
  (error: unknown): never => {
    throw violates(error, DOMAIN_INDEX) ? takenDomain(domain) : error
  }

export const takenDomain = (domain: string): RefusedFields =>
  new RefusedFields(
    [{ field: 'domainname', message: 'belongs to another deployment' }],
    raise.DomainTaken(`${domain} belongs to another deployment`),
  )
