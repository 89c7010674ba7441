import { asUser, audit, type Pool, type Runner } from '../../../store/index.ts'
import type { NotedAccess } from '../admin-access.ts'
import { clusterKey } from '../queue.ts'
import { ACCESS_ACTION } from '../words.ts'

/** `on` acts as `caelus_worker`, which may write nothing else to the audit. */
export async function noteAccessOfWorker(
  on: Runner,
  instance: string,
  { clusterId, seconds }: NotedAccess,
): Promise<void> {
  await on.query('select tenant.note_cluster_access($1, $2, $3)', [clusterId, instance, seconds])
}

/** `pool` acts as `caelus_api`. */
export const noteAccessOfApi = (
  pool: Pool,
  instance: string,
  { clusterId, organizationId, seconds }: NotedAccess,
): Promise<void> =>
  asUser(pool, { admin: true }, (tx) =>
    audit(tx, {
      actor: `api ${instance}`,
      action: ACCESS_ACTION,
      object: clusterKey(clusterId),
      tenant: organizationId,
      detail: { seconds },
    }),
  )
