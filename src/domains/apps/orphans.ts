import { every, type Clock, type Emitter, type Service } from '../../kernel/index.ts'
import { isConflict, isNotFound, Namespace, type Client, type CoreV1 } from '../../kube/index.ts'
import type { AppsEvents } from './events.ts'
import { DEPLOYMENT_LABEL } from './fence.ts'
import { allRights, removeRights } from './grants/rights.ts'
import type { DeploymentRows } from './rows.ts'

export interface OrphanDeps {
  /** The cluster that `client` talks to. Null: the platform's own control plane. */
  readonly clusterId: string | null
  readonly client: Client
  readonly rows: Pick<DeploymentRows, 'findIn'>
  readonly clock: Clock
  readonly emitter: Emitter<AppsEvents>
  readonly everyMs: number
}

/**
 * Deletes namespaces of deployments that were deleted. The creation of a namespace is one request without a fence: sent by a
 * worker that lost its lease, it may arrive after another one has deleted the namespace and recorded that. Likewise what a
 * release had outside of a namespace that somebody else has deleted.
 */
export const orphanCollection = ({ everyMs, ...deps }: OrphanDeps): Service =>
  every('apps orphans', everyMs, (signal) => collectOrphans(deps, signal), {
    clock: deps.clock,
    waitsFirst: true,
    onError: (error) => deps.emitter.emit('apps:orphansKept', { error }),
  })

export async function collectOrphans(
  { clusterId, client, rows, clock }: Pick<OrphanDeps, 'clusterId' | 'client' | 'rows' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const namespaces = await client.list(Namespace, { labels: DEPLOYMENT_LABEL }, signal)
  const standing = namespaces.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const rights = await allRights(client, signal)
  const labelled = [...standing.map(deploymentOf), ...rights.map(({ deploymentId }) => deploymentId)]
  const deleted = await namespacesOfDeleted({ clusterId, rows }, labelled)
  for (const namespace of standing) {
    if (deleted.get(deploymentOf(namespace)) === namespace.metadata.name) await remove(client, namespace, signal)
  }
  for (const holder of rights) {
    if (deleted.get(holder.deploymentId) === holder.namespace) await removeRights({ client, clock }, holder, signal)
  }
}

const deploymentOf = ({ metadata }: CoreV1.Namespace): string => metadata.labels?.[DEPLOYMENT_LABEL] ?? ''

const PAGE = 500

/**
 * The namespace of each deployment that was in this place and is deleted. A label with an id of no such row may come from
 * another installation, or from a backup of another cluster that was restored into this one.
 */
async function namespacesOfDeleted(
  { clusterId, rows }: Pick<OrphanDeps, 'clusterId' | 'rows'>,
  labelled: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(labelled)]
  const deleted = new Map<string, string>()
  for (let from = 0; from < ids.length; from += PAGE) {
    const found = await rows.findIn(clusterId, ids.slice(from, from + PAGE))
    for (const { id, namespaceName, isDeleted } of found) if (isDeleted) deleted.set(id, namespaceName)
  }
  return deleted
}

async function remove(client: Client, { metadata }: CoreV1.Namespace, signal: AbortSignal): Promise<void> {
  const { name, uid = '', resourceVersion = '' } = metadata
  await client.delete(Namespace, { name }, { uid, resourceVersion, signal }).catch((error: unknown) => {
    // Another writer changed or deleted it; the next run checks again.
    if (!isNotFound(error) && !isConflict(error)) throw error
  })
}
