import type { Explanation } from '../../../kernel/index.ts'
import { asUser, type Actor } from '../../../store/index.ts'
import { explainNow } from '../explain-now.ts'
import type { Kubeconfig } from '../gardener/gardener.ts'
import { countAppsLeft, findJob, findLimits } from '../store/index.ts'
import { visibleCluster, visibleOrganization } from './access.ts'
import type { InsightDeps } from './insight-deps.ts'
import { upgradesOf } from './offered.ts'
import type { ClustersInsight, Landscape, VersionUpgrade } from './port.ts'
import { previewChange, previewCreate } from './preview.ts'
import { presentVersion } from './problems.ts'
import { timeline } from './timeline.ts'

/** As a worker would see it now; without Gardener, what the row tells. */
async function explain(
  deps: InsightDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  signal: AbortSignal,
): Promise<Explanation> {
  const { loaded, job } = await asUser(deps.pool, actor, async (tx) => {
    const cluster = await visibleCluster(tx, organizationId, id)
    const appsLeft = cluster.deletedAt === null ? 0 : await countAppsLeft(tx, id)
    return { loaded: { cluster, sync: cluster.sync, appsLeft }, job: await findJob(tx, id) }
  })
  return await explainNow(deps, loaded, job, signal)
}

async function versions(
  { clusters, gardener }: InsightDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  signal: AbortSignal,
): Promise<{ readonly current: string; readonly upgrades: readonly VersionUpgrade[] }> {
  const cluster = await clusters.getCluster(actor, organizationId, id)
  return { current: presentVersion(cluster), upgrades: upgradesOf(cluster, await gardener.catalogue(signal)) }
}

/** `organizationId` absent: what Gardener offers, whatever an organization may have of it. */
async function landscape(
  { pool, gardener }: InsightDeps,
  actor: Actor,
  organizationId: string | undefined,
  signal: AbortSignal,
): Promise<Landscape> {
  const limits =
    organizationId === undefined
      ? null
      : await asUser(pool, actor, async (tx) => {
          const { id } = await visibleOrganization(tx, organizationId)
          return await findLimits(tx, id)
        })
  return { ...(await gardener.catalogue(signal)), mode: gardener.mode, limits }
}

async function kubeconfig(
  { clusters, gardener }: InsightDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  seconds: number,
  signal: AbortSignal,
): Promise<Kubeconfig> {
  const { namespace, name } = await clusters.noteKubeconfig(actor, organizationId, id, seconds)
  return await gardener.adminKubeconfig({ namespace, name }, seconds, signal)
}

export const openInsight = (deps: InsightDeps): ClustersInsight => ({
  previewCreate: (...asked) => previewCreate(deps, ...asked),
  previewChange: (...asked) => previewChange(deps, ...asked),
  explain: (...asked) => explain(deps, ...asked),
  timeline: (...asked) => timeline(deps, ...asked),
  versions: (...asked) => versions(deps, ...asked),
  landscape: (...asked) => landscape(deps, ...asked),
  kubeconfig: (...asked) => kubeconfig(deps, ...asked),
})
