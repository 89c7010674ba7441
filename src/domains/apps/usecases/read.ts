import { asUser, type Actor } from '../../../store/index.ts'
import type { Listed, PageOptions } from '../../../store/index.ts'
import {
  findDeployment,
  findJob,
  findProduct,
  findTemplate,
  listDeployments as listDeploymentRows,
  listJobs as listJobRows,
  listTemplates as listTemplateRows,
  type DeploymentFilter,
  type DeploymentRef,
  type JobFilter,
  type ListedDeployment,
  type ListedJob,
} from '../store/index.ts'
import type { Template } from '../types.ts'
import { found, refuseUnstorable } from '../../../store/index.ts'
import type { UseCaseDeps } from './deps.ts'

export const listTemplates = (
  { pool }: UseCaseDeps,
  actor: Actor,
  productId: string,
  page: PageOptions,
): Promise<Listed<Template>> =>
  asUser(pool, actor, async (tx) => {
    found(await findProduct(tx, productId), 'product', productId)
    return await listTemplateRows(tx, productId, page)
  })

export const getTemplate = ({ pool }: UseCaseDeps, actor: Actor, id: string, productId?: string): Promise<Template> =>
  asUser(pool, actor, async (tx) => {
    const template = await findTemplate(tx, id)
    const isThere = productId === undefined || template?.productId === productId
    return found(isThere ? template : undefined, 'template', id)
  })

export async function listDeployments(
  { pool }: UseCaseDeps,
  actor: Actor,
  filter: DeploymentFilter,
): Promise<Listed<ListedDeployment>> {
  refuseUnstorable({ name: filter.name })
  return await asUser(pool, actor, (tx) => listDeploymentRows(tx, filter))
}

export const getDeployment = ({ pool }: UseCaseDeps, actor: Actor, ref: DeploymentRef): Promise<ListedDeployment> =>
  asUser(pool, actor, async (tx) => found(await findDeployment(tx, ref), 'deployment', ref.id))

export const listJobs = ({ pool }: UseCaseDeps, actor: Actor, filter: JobFilter): Promise<Listed<ListedJob>> =>
  asUser(pool, actor, (tx) => listJobRows(tx, filter))

export const getJob = ({ pool }: UseCaseDeps, actor: Actor, id: string): Promise<ListedJob> =>
  asUser(pool, actor, async (tx) => found(await findJob(tx, id), 'job', id))
