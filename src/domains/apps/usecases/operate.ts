import {
  asUser,
  failJob as failKey,
  freezeTenant as freeze,
  driftWake,
  PLATFORM,
  requeueJob as requeueKey,
  scanPages,
  unfreezeTenant as unfreeze,
  type Actor,
  type Tx,
} from '../../../store/index.ts'
import { raise } from '../failures.ts'
import { APPS_QUEUE, deploymentKey, scannedDeployment, WAKE_REASON } from '../queue.ts'
import {
  askForRetry,
  findDeployment,
  findJob,
  findOpenJob,
  livingDeployments,
  lockDeployment,
  markFailed,
  markSuspended,
  type DeploymentRef,
  type ListedDeployment,
  type ListedJob,
} from '../store/index.ts'
import type { JobReason } from '../types.ts'
import { found, needsAdmin, note, refuseUnstorable } from '../../../store/index.ts'
import type { UseCaseDeps } from './deps.ts'

export function enqueueReconcile(
  { pool, queue }: UseCaseDeps,
  actor: Actor,
  ref: DeploymentRef,
  reason: JobReason,
): Promise<ListedJob> {
  return asUser(pool, actor, async (tx) => {
    const { id, userId } = found(await findDeployment(tx, ref), 'deployment', ref.id)
    if (reason === 'retry') await askForRetry(tx, id)
    await queue.wakeIn(tx, { key: deploymentKey(id), wake: { reason: WAKE_REASON[reason], tenant: userId } })
    await note(tx, actor, { action: 'enqueued', object: deploymentKey(id), tenant: userId, detail: { reason } })
    return found(await findOpenJob(tx, id), 'open job of deployment', id)
  })
}

export function retryDeployment(deps: UseCaseDeps, actor: Actor, ref: DeploymentRef): Promise<ListedDeployment> {
  return asUser(deps.pool, actor, async (tx) => {
    const { id, userId, deletedAt } = found(await lockDeployment(tx, ref), 'deployment', ref.id)
    if (deletedAt === null) await askForRetry(tx, id)
    await deps.queue.wakeIn(tx, { key: deploymentKey(id), wake: { reason: WAKE_REASON.update, tenant: userId } })
    await note(tx, actor, { action: 'requeued', object: deploymentKey(id), tenant: userId })
    return found(await findDeployment(tx, ref), 'deployment', ref.id)
  })
}

export const suspendDeployment = (deps: UseCaseDeps, actor: Actor, ref: DeploymentRef): Promise<ListedDeployment> =>
  setSuspended(deps, actor, ref, true)

export const resumeDeployment = (deps: UseCaseDeps, actor: Actor, ref: DeploymentRef): Promise<ListedDeployment> =>
  setSuspended(deps, actor, ref, false)

function setSuspended(
  { pool, queue }: UseCaseDeps,
  actor: Actor,
  ref: DeploymentRef,
  isSuspended: boolean,
): Promise<ListedDeployment> {
  return asUser(pool, actor, async (tx) => {
    const { id, userId, suspendedAt, deletedAt } = found(await lockDeployment(tx, ref), 'deployment', ref.id)
    if (deletedAt !== null) throw raise.BeingDeleted(`deployment ${id} is being deleted`)
    if ((suspendedAt !== null) !== isSuspended) {
      await markSuspended(tx, id, isSuspended)
      if (!isSuspended)
        await queue.wakeIn(tx, { key: deploymentKey(id), wake: { reason: WAKE_REASON.update, tenant: userId } })
      const action = isSuspended ? 'suspended' : 'resumed'
      await note(tx, actor, { action, object: deploymentKey(id), tenant: userId })
    }
    return found(await findDeployment(tx, ref), 'deployment', ref.id)
  })
}

export async function requeueJob({ pool }: UseCaseDeps, actor: Actor, id: string): Promise<ListedJob> {
  needsAdmin(actor, 'requeue jobs')
  return await asUser(pool, actor, async (tx) => {
    const job = await openJob(tx, id)
    await askForRetry(tx, job.deploymentId)
    if (!(await requeueKey(tx, APPS_QUEUE, deploymentKey(job.deploymentId)))) throw done(id)
    const object = deploymentKey(job.deploymentId)
    await note(tx, actor, { action: 'requeued', object, tenant: job.userId, detail: { job: id } })
    return await openJob(tx, id)
  })
}

export async function failJob({ pool }: UseCaseDeps, actor: Actor, id: string, error: string): Promise<ListedJob> {
  needsAdmin(actor, 'fail jobs')
  refuseUnstorable({ error })
  return await asUser(pool, actor, async (tx) => {
    const job = await openJob(tx, id)
    const { failure } = raise.FailedByHand(error)
    if (!(await failKey(tx, APPS_QUEUE, deploymentKey(job.deploymentId), failure))) throw done(id)
    await markFailed(tx, job.deploymentId, failure)
    const object = deploymentKey(job.deploymentId)
    await note(tx, actor, { action: 'failed', object, tenant: job.userId, detail: { job: id, error } })
    return await openJob(tx, id)
  })
}

async function openJob(tx: Tx, id: string): Promise<ListedJob> {
  const job = found(await findJob(tx, id), 'job', id)
  if (job.status === 'done') throw done(id)
  return job
}

const done = (id: string): Error => raise.JobDone(`job ${id} is done`)

export async function freezeTenant(
  { pool, users }: UseCaseDeps,
  actor: Actor,
  userId: string,
  why: string,
): Promise<void> {
  needsAdmin(actor, 'freeze tenants')
  refuseUnstorable({ why })
  await asUser(pool, actor, async (tx) => {
    const { id } = found(await users.find(tx, userId), 'user', userId)
    await freeze(tx, APPS_QUEUE, id, actor.userId ?? PLATFORM, why)
    await note(tx, actor, { action: 'froze', object: { kind: 'User', id }, tenant: id, detail: { why } })
  })
}

export async function unfreezeTenant({ pool, users }: UseCaseDeps, actor: Actor, userId: string): Promise<void> {
  needsAdmin(actor, 'unfreeze tenants')
  await asUser(pool, actor, async (tx) => {
    const { id } = found(await users.find(tx, userId), 'user', userId)
    if (await unfreeze(tx, APPS_QUEUE, id))
      await note(tx, actor, { action: 'unfroze', object: { kind: 'User', id }, tenant: id })
  })
}

const SCAN_PAGE = 500

/** A page is a transaction of its own: a scan of thousands holds nothing for long. */
export async function scanDrift({ pool, queue }: UseCaseDeps, actor: Actor, pageSize = SCAN_PAGE): Promise<number> {
  needsAdmin(actor, 'scan for drift')
  return await scanPages({
    limit: pageSize,
    page: (after, limit) =>
      asUser(pool, actor, async (tx) => {
        const keys = (await livingDeployments(tx, after, limit)).map(scannedDeployment)
        await queue.wakeIn(tx, ...keys.map(driftWake))
        return keys
      }),
  })
}
