import { msOrNull, type Runner } from '../../../store/index.ts'
import type { ExplainedJob } from '../explain.ts'

interface ClaimRow {
  readonly attempt: number
  readonly due_at: Date | null
  readonly is_claimed: boolean
}

/** The key of a cluster in the queue. Null: nothing is planned. */
export async function findJob(on: Runner, clusterId: string): Promise<ExplainedJob | null> {
  const [row] = await on.query<ClaimRow>(
    `select attempt, due_at, claimed_until is not null as is_claimed from tenant.cluster_claims where cluster_id = $1`,
    [clusterId],
  )
  if (row === undefined) return null
  const runAfter = msOrNull(row.due_at)
  const status = row.is_claimed ? 'running' : runAfter === null ? 'failed' : 'queued'
  return { status, attempt: row.attempt, runAfter: runAfter ?? 0 }
}
