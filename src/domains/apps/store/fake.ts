import type { FakePostgresQueue, Table } from '../../../store/fake/index.ts'
import type { VerifiedRelease, VerifiedReleaseStore } from '../drift/verified-releases.ts'
import { deploymentKey } from '../queue.ts'
import type { DeploymentRows } from '../rows.ts'
import type { Deployment, Owner, Template } from '../types.ts'

export interface FakeAppsStoreOptions {
  readonly deployments: Table<Deployment>
  readonly queue: FakePostgresQueue
  readonly template: (id: string) => Template | undefined
  readonly owner: (id: string) => Owner | undefined
  /** A write under a fence was accepted. */
  readonly onWrite?: (id: string, fence: number) => void
}

/** What is to be deleted never becomes anything better again. */
const GOING: ReadonlySet<string> = new Set(['deleting', 'deleted', 'error'])

/** The worker's rows in memory. As in PostgreSQL, a write under an outdated fence changes nothing. */
export function fakeDeploymentRows(options: FakeAppsStoreOptions): DeploymentRows {
  const { deployments, queue, onWrite } = options
  return {
    load: (id) =>
      deployments.inTransaction(async (rows) => {
        const deployment = rows.get(id)
        const template = deployment && options.template(deployment.desiredTemplateId)
        const owner = deployment && options.owner(deployment.userId)
        return deployment && template && owner && { deployment, owner, template }
      }),
    write: (id, fence, patch) =>
      deployments.inTransaction(async (rows) => {
        const row = rows.get(id)
        if (row === undefined || queue.fenceOf(deploymentKey(id)) !== fence) return false
        const staysGoing = row.deletedAt !== null && !GOING.has(patch.status ?? 'error')
        rows.put(id, { ...row, ...patch, ...(staysGoing && { status: row.status }) })
        onWrite?.(id, fence)
        return true
      }),
    living: (after = '', limit) =>
      deployments.inTransaction(async (rows) =>
        rows
          .list()
          .filter(({ id, status }) => status !== 'deleted' && id > after)
          .slice(0, limit)
          .map(({ id, userId, namespaceName }) => ({ id, userId, namespaceName })),
      ),
    findIn: (clusterId, ids) =>
      deployments.inTransaction(async (rows) =>
        [...new Set(ids)]
          .flatMap((id) => rows.get(id) ?? [])
          .filter((row) => row.clusterId === clusterId)
          .map(({ id, userId, namespaceName, status }) => ({
            id,
            userId,
            namespaceName,
            isDeleted: status === 'deleted',
          })),
      ),
  }
}

/** What workers found in order, in memory and under the same fence. */
export function fakeVerifiedReleases({ deployments, queue, onWrite }: FakeAppsStoreOptions): VerifiedReleaseStore {
  const kept = new Map<string, VerifiedRelease>()
  const change = (id: string, fence: number, apply: () => void): void => {
    if (queue.fenceOf(deploymentKey(id)) !== fence) return
    onWrite?.(id, fence)
    apply()
  }
  return {
    find: async (id) => structuredClone(kept.get(id)),
    keep: async (id, fence, release) => change(id, fence, () => kept.set(id, structuredClone(release))),
    drop: async (id, fence) => change(id, fence, () => kept.delete(id)),
    async kinds(clusterId) {
      const there = deployments.committed().filter((row) => row.clusterId === clusterId)
      return [...new Set(there.flatMap(({ id }) => kept.get(id)?.kinds ?? []))].toSorted()
    },
  }
}
