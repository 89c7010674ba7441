import { sameValue } from '../../../kernel/index.ts'
import { asUser, checkGeneration, note, type Actor, type Precondition, type Tx } from '../../../store/index.ts'
import { clusterKey } from '../queue.ts'
import { deleteNodePools, insertNodePools, writeIntent, writeNodePool } from '../store/index.ts'
import type { Cluster } from '../types.ts'
import { changeableCluster, orderingOrganization, visibleCluster } from './access.ts'
import { onNameTaken, refuseUnstorableOrder } from './create-cluster.ts'
import type { ClustersDeps } from './deps.ts'
import { readFacts } from './facts.ts'
import type { ClusterChange, ListedCluster, NodePoolInput } from './port.ts'
import { changeProblems, refuseProblems } from './problems.ts'

export async function updateCluster(
  { pool }: ClustersDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  change: ClusterChange,
  precondition: Precondition = {},
): Promise<ListedCluster> {
  refuseUnstorableOrder(change)
  return await asUser(pool, actor, async (tx) => {
    const organization = await orderingOrganization(tx, actor, organizationId, 'change clusters')
    const before = await changeableCluster(tx, organizationId, id)
    checkGeneration(before.sync.generation, precondition)
    refuseProblems(changeProblems(await readFacts(tx, organization, change.name, id), before, change))
    const intent = intended(before, change)
    const changed = changedFields(before, intent)
    if (changed.length > 0) {
      await writeIntent(tx, id, intent).catch(onNameTaken(organization.name, intent.name))
      await writePools(tx, before, intent.nodePools)
      await noteChange(tx, actor, before, intent, changed)
    }
    return await visibleCluster(tx, organizationId, id)
  })
}

/** What people decide about a cluster after it was ordered. */
export interface Intended extends Pick<Cluster, 'name' | 'kubernetesVersion' | 'isHibernated' | 'maintenance'> {
  readonly nodePools: readonly NodePoolInput[]
}

export const intended = (before: Cluster, change: ClusterChange): Intended => ({
  name: change.name ?? before.name,
  kubernetesVersion: change.kubernetesVersion ?? before.kubernetesVersion,
  isHibernated: change.isHibernated ?? before.isHibernated,
  maintenance: change.maintenance === undefined ? before.maintenance : change.maintenance,
  nodePools: change.nodePools ?? before.nodePools,
})

const poolsOf = (pools: readonly NodePoolInput[]): NodePoolInput[] =>
  pools
    .map(({ name, machineType, autoscaleMin, autoscaleMax }) => ({ name, machineType, autoscaleMin, autoscaleMax }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))

const intentOf = ({ name, kubernetesVersion, isHibernated, maintenance, nodePools }: Intended): Intended => ({
  name,
  kubernetesVersion,
  isHibernated,
  maintenance,
  nodePools: poolsOf(nodePools),
})

/** As the API names them. */
const FIELDS = {
  name: 'name',
  kubernetesVersion: 'kubernetes_version',
  isHibernated: 'hibernated',
  maintenance: 'maintenance',
  nodePools: 'node_pools',
} as const satisfies Record<keyof Intended, string>

function changedFields(before: Intended, after: Intended): string[] {
  const [was, is] = [intentOf(before), intentOf(after)]
  return (Object.keys(FIELDS) as (keyof Intended)[])
    .filter((field) => !sameValue(was[field], is[field]))
    .map((field) => FIELDS[field])
}

export function noteChange(
  tx: Tx,
  actor: Actor,
  before: ListedCluster,
  after: Intended,
  changed: readonly string[],
): Promise<void> {
  return note(tx, actor, {
    action: 'changed',
    object: clusterKey(before.id),
    tenant: before.organizationId,
    before: intentOf(before),
    after: intentOf(after),
    detail: { generation: before.sync.generation + 1, changed: changed.join(', ') },
  })
}

/** Pools are known by their names: what is not named is removed. */
async function writePools(tx: Tx, before: Cluster, wanted: readonly NodePoolInput[]): Promise<void> {
  const names = new Set(wanted.map(({ name }) => name))
  const gone = before.nodePools.filter(({ name }) => !names.has(name))
  if (gone.length > 0) {
    await deleteNodePools(
      tx,
      gone.map(({ id }) => id),
    )
  }
  const present = new Map(before.nodePools.map((pool) => [pool.name, pool]))
  for (const pool of wanted) {
    const was = present.get(pool.name)
    if (was !== undefined && !sameValue(poolsOf([was]), poolsOf([pool])))
      await writeNodePool(tx, { ...pool, id: was.id })
  }
  const added = wanted.filter(({ name }) => !present.has(name))
  if (added.length > 0) await insertNodePools(tx, before, added)
}
