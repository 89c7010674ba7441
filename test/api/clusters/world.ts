import { clustersRoutes } from '../../../src/api/routes/clusters/index.ts'
import type { ClusterView, OrganizationView } from '../../../src/api/contract/index.ts'
import { clustersUsage } from '../../../src/domains/clusters/store/index.ts'
import { openClusters, type Clusters, type ClustersInsight } from '../../../src/domains/clusters/usecases/index.ts'
import { clusterApps } from '../../../src/domains/apps/usecases/index.ts'
import { APPS_QUEUE } from '../../../src/domains/apps/queue.ts'
import { CLUSTERS_QUEUE } from '../../../src/domains/clusters/queue.ts'
import { openIdentity } from '../../../src/identity/index.ts'
import { systemClock } from '../../../src/kernel/index.ts'
import { openQueuePool, PostgresQueue, type Pool } from '../../../src/store/index.ts'
import { world, type Person, type World } from '../world.ts'

export interface ClustersApi extends World {
  readonly admin: Person
  /** The owner, a member and a viewer of one organization, and a stranger. */
  readonly owner: Person
  readonly member: Person
  readonly viewer: Person
  readonly stranger: Person
  readonly organization: OrganizationView
  /** `/api/v1/organizations/<id>/clusters` */
  readonly path: string
  create(by: Person, more?: object): Promise<ClusterView>
}

export const ORDER = {
  name: 'one',
  region: 'local',
  kubernetes_version: '1.34',
  node_pools: [{ name: 'default', machine_type: 'small', autoscale_min: 1, autoscale_max: 3 }],
} as const

const absent = async (): Promise<never> => {
  throw new Error('there is no Gardener in this test')
}

const NO_INSIGHT: ClustersInsight = {
  previewCreate: absent,
  previewChange: absent,
  explain: absent,
  timeline: absent,
  versions: absent,
  landscape: absent,
  kubeconfig: absent,
}

type MakeInsight = (on: { readonly pool: Pool; readonly clusters: Clusters }) => ClustersInsight

export async function clustersApi(insight: MakeInsight = () => NO_INSIGHT): Promise<ClustersApi> {
  await using ending = new AsyncDisposableStack()
  const w = await world({
    routes: ({ pool, url }) => {
      const queuePool = openQueuePool({ url, applicationName: 'test queue', role: 'caelus_api' })
      ending.defer(() => queuePool.end())
      const clusters = openClusters({
        pool,
        queue: new PostgresQueue({ pool: queuePool, name: CLUSTERS_QUEUE }),
        apps: clusterApps({ queue: new PostgresQueue({ pool: queuePool, name: APPS_QUEUE }) }),
        clock: systemClock,
      })
      return [clustersRoutes({ clusters, insight: insight({ pool, clusters }) })]
    },
  })
  ending.use(w)
  const [admin, owner, member, viewer, stranger] = [
    await w.person('admin', 'root@example.test'),
    await w.person('member', 'owner@example.test'),
    await w.person('member', 'member@example.test'),
    await w.person('member', 'viewer@example.test'),
    await w.person('member', 'stranger@example.test'),
  ]
  const identity = openIdentity({ pool: w.pool, usage: [clustersUsage] })
  const acting = { userId: owner.userId, admin: false }
  const { id } = await identity.createOrganization(acting, { name: 'Acme' })
  await identity.addMember({ ...acting, admin: true }, id, { email: 'member@example.test', role: 'member' })
  await identity.addMember({ ...acting, admin: true }, id, { email: 'viewer@example.test', role: 'viewer' })
  const organization = (await w.as(owner.secret, { url: `/api/v1/organizations/${id}` })).json<OrganizationView>()
  const path = `/api/v1/organizations/${id}/clusters`
  const made = ending.move()
  return {
    ...w,
    admin,
    owner,
    member,
    viewer,
    stranger,
    organization,
    path,
    async create(by, more = {}) {
      const answer = await w.as(by.secret, { method: 'POST', url: path, payload: { ...ORDER, ...more } })
      if (answer.statusCode !== 201) throw new Error(`POST ${path} answered ${answer.statusCode}: ${answer.body}`)
      return answer.json<ClusterView>()
    },
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  }
}
