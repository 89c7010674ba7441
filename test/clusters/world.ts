import { clusterRows, clustersUsage } from '../../src/domains/clusters/store/index.ts'
import { openClusters, type ClusterInput, type Clusters } from '../../src/domains/clusters/usecases/index.ts'
import { CLUSTERS_QUEUE } from '../../src/domains/clusters/queue.ts'
import type { ClusterRows } from '../../src/domains/clusters/rows.ts'
import { openIdentity, type IdentityUseCases } from '../../src/identity/index.ts'
import { failureOf, RefusedFields, systemClock } from '../../src/kernel/index.ts'
import { PostgresQueue, type Actor, type Pool } from '../../src/store/index.ts'
import { freshDatabase, type TestDatabase } from '../support/postgres.ts'

type Person = Actor & { readonly userId: string }

export interface ClustersWorld extends AsyncDisposable {
  readonly database: TestDatabase
  /** As the login of the API. */
  readonly pool: Pool
  readonly identity: IdentityUseCases
  readonly clusters: Clusters
  readonly queue: PostgresQueue
  /** Of the worker. */
  readonly rows: ClusterRows
  readonly admin: Person
  /** Ann owns Acme, Mia is a member of it, Vic a viewer. Bob owns Beta. */
  readonly ann: Person
  readonly mia: Person
  readonly vic: Person
  readonly bob: Person
  readonly acme: string
  readonly beta: string
}

export const POOL = { name: 'default', machineType: 'small', autoscaleMin: 1, autoscaleMax: 3 } as const

export const order = (more: Partial<ClusterInput> = {}): ClusterInput => ({
  name: 'one',
  region: 'local',
  kubernetesVersion: '1.34',
  nodePools: [POOL],
  ...more,
})

/** `server`: the URL of a PostgreSQL. @default the one of this run */
export async function clustersWorld(server?: string): Promise<ClustersWorld> {
  const database = await freshDatabase(server)
  const pool = database.openPool({ role: 'caelus_api' })
  const queue = new PostgresQueue({ pool: database.openQueuePool({ role: 'caelus_worker' }), name: CLUSTERS_QUEUE })
  const users = await database.pool.query<{ id: string }>(
    `insert into caelus.user (email, is_admin)
     select name || '@example.org', name = 'root' from unnest(array['root', 'ann', 'mia', 'vic', 'bob']) name returning id`,
  )
  const [root = '', annId = '', miaId = '', vicId = '', bobId = ''] = users.map(({ id }) => id)
  const identity = openIdentity({ pool, usage: [clustersUsage] })
  const [ann, bob] = [annId, bobId].map((userId) => ({ userId, admin: false })) as [Person, Person]
  const { id: acme } = await identity.createOrganization(ann, { name: 'Acme' })
  const { id: beta } = await identity.createOrganization(bob, { name: 'Beta' })
  await database.pool.query(
    `insert into tenant.organization_members (organization_id, user_id, role) values ($1, $2, 'member'), ($1, $3, 'viewer')`,
    [acme, miaId, vicId],
  )
  return {
    database,
    pool,
    identity,
    clusters: openClusters({ pool, queue, clock: systemClock }),
    queue,
    rows: clusterRows(database.openPool({ role: 'caelus_worker' })),
    admin: { userId: root, admin: true },
    ann,
    mia: { userId: miaId, admin: false },
    vic: { userId: vicId, admin: false },
    bob,
    acme,
    beta,
    async [Symbol.asyncDispose]() {
      queue.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** The code of the failure that a promise ended in, or `succeeded`. */
export const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'succeeded',
    (error: unknown) => failureOf(error).code,
  )

/** The fields that were refused, with what was said about them. */
export const fieldsOf = async (promise: Promise<unknown>): Promise<Record<string, string>> => {
  const error = await promise.then(
    () => new Error('it was not refused'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof RefusedFields)) throw error
  return Object.fromEntries(error.fields.map(({ field, message }) => [field, message]))
}
