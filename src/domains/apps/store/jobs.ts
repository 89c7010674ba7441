import { type Listed, listed, msOf, msOrNull, notOurs, type PageOptions, type Runner } from '../../../store/index.ts'
import type { Failure } from '../../../kernel/index.ts'
import { APPS_QUEUE } from '../queue.ts'
import type { JobReason, JobStatus, ReconcileJob } from '../types.ts'

export interface ListedJob extends ReconcileJob {
  readonly deploymentUid: string
  readonly userId: string
  readonly email: string
  /** Its tenant is frozen: it is not claimed. */
  readonly frozen: boolean
}

export interface JobFilter extends PageOptions {
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

/** `jobs` is a page by then: what people want to see beside it is looked up for its rows alone. */
const described = (jobs: string): string => `
  select j.*, d.deployment_uid, d.user_id, u.email,
    exists (select from caelus.frozen_tenant f where f.queue = '${APPS_QUEUE}' and f.tenant = d.user_id::text) as frozen
  from (${jobs}) j
  join caelus.deployment d on d.id = j.deployment
  join caelus.user u on u.id = d.user_id
  order by j.id desc`

/** Null for a key that is not an id, so that no key in the queue makes a list fail. */
const ID = `case when pg_input_is_valid(deployment_id, 'uuid') then deployment_id::uuid end`

const COLUMNS = `*, ${ID} as deployment`

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

const FIND = described(`select ${COLUMNS} from caelus.deployment_reconcile_job where id = $1 offset 0`)

export async function findJob(on: Runner, id: string): Promise<ListedJob | undefined> {
  if (!isNumber(id)) return undefined
  const [row] = await on.query<JobRow>(FIND, [id])
  return row && jobOf(row)
}

const FIND_OPEN = described(`select ${COLUMNS} from caelus.open_reconcile_job where deployment_id = $1 offset 0`)

/** The job of a deployment that is waiting, running or given up; there is at most one. */
export async function findOpenJob(on: Runner, deploymentId: string): Promise<ListedJob | undefined> {
  const [row] = await on.query<JobRow>(FIND_OPEN, [deploymentId])
  return row && jobOf(row)
}

/**
 * Both halves are read in order and cut, so that a page costs no more than a page, however long the history. Jobs without a
 * deployment are left out before the cut: a page that they shorten would look like the last one.
 */
const newest = (view: string): string => `
  (select ${COLUMNS} from caelus.${view}
   where ($2::bigint is null or id < $2) and ($3::text is null or status = $3)
     and ($4::text is null or deployment_id = $4)
     and (select true from caelus.deployment where id = ${ID})
   order by id desc limit $1)`

const LIST = described(
  `${newest('open_reconcile_job')} union all ${newest('done_reconcile_job')} order by id desc limit $1`,
)

/** Newest first. */
export async function listJobs(
  on: Runner,
  { limit, after, status, deploymentId }: JobFilter,
): Promise<Listed<ListedJob>> {
  if (after !== undefined && !isNumber(after[0] ?? '')) throw notOurs()
  const rows = await on.query<JobRow>(LIST, [limit + 1, after?.[0] ?? null, status ?? null, deploymentId ?? null])
  return listed(rows.map(jobOf), limit, ({ id }) => [id])
}
