import type { Gardener, Gardenlet } from '../../domains/clusters/gardener/index.ts'
import type { Clusters, ListedCluster } from '../../domains/clusters/usecases/index.ts'
import { loginStore, openIdentity } from '../../identity/index.ts'
import { aborted, service, sleep, systemClock, type Service } from '../../kernel/index.ts'
import { at } from '../../kube/index.ts'
import type { Actor, Pool } from '../../store/index.ts'
import { LOCAL_ADMIN } from '../shared/local-login.ts'

const POOL = { name: 'default', machineType: 'local', autoscaleMin: 1, autoscaleMax: 3 }
const DRAFT = { region: 'local', kubernetesVersion: '1.34', nodePools: [POOL] }

/** One becomes ready, one is sent to sleep once it is, and for one Gardener reports an error. */
const DEMO = [
  { organization: 'Shop', clusters: ['prod', 'staging'] },
  { organization: 'Research', clusters: ['training'] },
] as const
const TO_SLEEP = 'staging'
const TROUBLED = 'training'

/** How many clusters of the demo stay in an error. */
export const TROUBLED_CLUSTERS = 1

const QUOTA = {
  state: 'Failed',
  description: "infrastructure quota exceeded: 'GPUS_ALL_REGIONS', limit 0.0 globally",
  codes: ['ERR_INFRA_QUOTA_EXCEEDED'],
} as const

/** What stands in for gardenlet, in a simulated garden or in a real one without machines. */
export type StandIn = Pick<Gardenlet, 'fail'>

export interface DemoParts {
  readonly clusters: Clusters
  readonly gardener: Pick<Gardener, 'shoots'>
  readonly gardenlet: StandIn
  readonly pool: Pool
  readonly onError: (error: unknown) => void
}

/** Orders clusters for two organizations, once: later changes and deletions are respected. Answers what to start for it. */
export async function orderDemoClusters(parts: DemoParts): Promise<readonly Service[]> {
  const { clusters, pool } = parts
  const profile = { subject: `dev#${LOCAL_ADMIN}`, email: LOCAL_ADMIN, isVerified: true, role: 'admin' } as const
  const user = await loginStore(pool).signIn(profile)
  if (user === undefined) throw new Error(`failed to order the demo: ${LOCAL_ADMIN} logs in another way`)
  const actor = { userId: user.id, admin: true }
  const identity = openIdentity({ pool, usage: [] })
  const { items } = await identity.listOrganizations(actor, { limit: 1 })
  if (items.length > 0) return []
  const ordered: ListedCluster[] = []
  for (const { organization, clusters: names } of DEMO) {
    const { id } = await identity.createOrganization(actor, { name: organization })
    for (const name of names) ordered.push(await clusters.createCluster(actor, id, { ...DRAFT, name }))
  }
  return [demoEvents(parts, actor, ordered)]
}

const LOOK_MS = 500

/** What happens to the clusters of the demo after they were ordered. */
function demoEvents({ clusters, gardener, gardenlet, onError }: DemoParts, actor: Actor, ordered: ListedCluster[]) {
  const sleepWhenReady = async ({ id, organizationId }: ListedCluster, signal: AbortSignal): Promise<void> => {
    while ((await clusters.getCluster(actor, organizationId, id)).sync.status !== 'ready')
      await sleep(systemClock, LOOK_MS, signal)
    await clusters.updateCluster(actor, organizationId, id, { isHibernated: true })
  }
  const failOnceThere = async ({ id }: ListedCluster, signal: AbortSignal): Promise<void> => {
    for (;;) {
      const shoot = gardener.shoots.ofCluster(id)
      if (shoot !== undefined) return await gardenlet.fail(at(shoot), QUOTA)
      await sleep(systemClock, LOOK_MS, signal)
    }
  }
  return service('demo of clusters', async (signal, ready) => {
    ready()
    const events = ordered.map(async (cluster) => {
      if (cluster.name === TO_SLEEP) await sleepWhenReady(cluster, signal)
      if (cluster.name === TROUBLED) await failOnceThere(cluster, signal)
    })
    for (const event of events)
      await event.catch((error: unknown) => {
        if (!signal.aborted) onError(error)
      })
    await aborted(signal)
  })
}
