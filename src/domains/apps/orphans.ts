import { every, type Clock, type Emitter, type Service } from '../../kernel/index.ts'
import { isConflict, isNotFound, Namespace, type Client, type CoreV1 } from '../../kube/index.ts'
import type { AppsEvents } from './events.ts'
import { DEPLOYMENT_LABEL } from './fence.ts'
import { allRights, removeRights } from './grants/rights.ts'
import type { DeploymentRows } from './rows.ts'

export interface OrphanDeps {
  readonly client: Client
  readonly rows: Pick<DeploymentRows, 'living' | 'load'>
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
  { client, rows, clock }: Pick<OrphanDeps, 'client' | 'rows' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  // Listed before the rows: whatever has a namespace by now has a row by then.
  const namespaces = await client.list(Namespace, { labels: DEPLOYMENT_LABEL }, signal)
  const standing = namespaces.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const rights = await allRights(client, signal)
  if (standing.length === 0 && rights.length === 0) return
  const living = await livingIds(rows)
  for (const namespace of standing) {
    const id = namespace.metadata.labels?.[DEPLOYMENT_LABEL] ?? ''
    if (!living.has(id) && (await isDeleted(rows, id, namespace.metadata.name))) await remove(client, namespace, signal)
  }
  for (const holder of rights) {
    const { deploymentId: id, namespace } = holder
    if (!living.has(id) && (await isDeleted(rows, id, namespace))) await removeRights({ client, clock }, holder, signal)
  }
}

const PAGE = 500

async function livingIds(rows: Pick<DeploymentRows, 'living'>): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  let page: readonly { readonly id: string }[]
  do {
    page = await rows.living([...ids].at(-1), PAGE)
    for (const { id } of page) ids.add(id)
  } while (page.length === PAGE)
  return ids
}

/** A label that is in no row of ours may be of another installation. */
async function isDeleted(rows: Pick<DeploymentRows, 'load'>, id: string, namespace: string): Promise<boolean> {
  const row = (await rows.load(id))?.deployment
  return row?.status === 'deleted' && row.namespaceName === namespace
}

async function remove(client: Client, { metadata }: CoreV1.Namespace, signal: AbortSignal): Promise<void> {
  const { name, uid = '', resourceVersion = '' } = metadata
  await client.delete(Namespace, { name }, { uid, resourceVersion, signal }).catch((error: unknown) => {
    // Another writer changed or deleted it; the next run checks again.
    if (!isNotFound(error) && !isConflict(error)) throw error
  })
}
