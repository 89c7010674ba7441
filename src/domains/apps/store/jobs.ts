import type { Failure } from '../../../kernel/index.ts'
import type { Runner } from '../../../store/index.ts'
import { APPS_QUEUE } from '../queue.ts'
import type { JobReason, JobStatus, ReconcileJob } from '../types.ts'
import { msOf, msOrNull } from './columns.ts'
import { listed, notOurs, type Listed, type PageWish } from './page.ts'

export interface ListedJob extends ReconcileJob {
  readonly deploymentUid: string
  readonly userId: string
  readonly email: string
  /** Its tenant is frozen: it is not claimed. */
  readonly frozen: boolean
}

export interface JobFilter extends PageWish {
  readonly status?: JobStatus | undefined
  readonly deploymentId?: string | undefined
}

interface JobRow {
  readonly id: string
  readonly deployment_id: string
  readonly reason: JobReason
  readonly run_after: Date
  readonly attempt: number
  readonly status: JobStatus
  readonly locked_by: string | null
  readonly locked_at: Date | null
  readonly lease_until: Date | null
  readonly fence: string | null
  readonly last_error: Failure | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly deployment_uid: string
  readonly user_id: string
  readonly email: string
  readonly frozen: boolean
}

const SELECT = `
  select j.*, d.deployment_uid, d.user_id, u.email,
    exists (select from caelus.frozen_tenant f where f.queue = '${APPS_QUEUE}' and f.tenant = d.user_id::text) as frozen
  from caelus.deployment_reconcile_job j
  join caelus.deployment d on d.id = j.deployment_id
  join caelus.user u on u.id = d.user_id`

const jobOf = (row: JobRow): ListedJob => ({
  id: row.id,
  deploymentId: row.deployment_id,
  reason: row.reason,
  runAfter: msOf(row.run_after),
  attempt: row.attempt,
  status: row.status,
  lockedBy: row.locked_by,
  lockedAt: msOrNull(row.locked_at),
  leaseUntil: msOrNull(row.lease_until),
  fence: Number(row.fence ?? 0),
  lastError: row.last_error,
  createdAt: msOf(row.created_at),
  updatedAt: msOf(row.updated_at),
  deploymentUid: row.deployment_uid,
  userId: row.user_id,
  email: row.email,
  frozen: row.frozen,
})

/** Jobs are numbered. */
const isNumber = (id: string): boolean => /^\d{1,18}$/.test(id)

export async function findJob(on: Runner, id: string): Promise<ListedJob | undefined> {
  if (!isNumber(id)) return undefined
  const [row] = await on.query<JobRow>(`${SELECT} where j.id = $1`, [id])
  return row && jobOf(row)
}

/** The job of a deployment that is waiting, running or given up; there is at most one. */
export async function findOpenJob(on: Runner, deploymentId: string): Promise<ListedJob | undefined> {
  const [row] = await on.query<JobRow>(`${SELECT} where j.deployment_id = $1 and j.status <> 'done'`, [deploymentId])
  return row && jobOf(row)
}

/** Newest first. */
export async function listJobs(
  on: Runner,
  { limit, after, status, deploymentId }: JobFilter,
): Promise<Listed<ListedJob>> {
  if (after !== undefined && !isNumber(after[0] ?? '')) throw notOurs()
  const rows = await on.query<JobRow>(
    `${SELECT}
     where ($2::bigint is null or j.id < $2) and ($3::text is null or j.status = $3)
       and ($4::text is null or j.deployment_id::text = $4)
     order by j.id desc limit $1`,
    [limit + 1, after?.[0] ?? null, status ?? null, deploymentId ?? null],
  )
  return listed(rows.map(jobOf), limit, ({ id }) => [id])
}
