import { openApps, type Apps, type UseCaseDeps } from '../../../src/domains/apps/usecases/index.ts'
import type { Chart, Charts } from '../../../src/domains/apps/helm/port.ts'
import { keyRing, type JsonObject, type KeyRing, type Product, type Template } from '../../../src/domains/apps/index.ts'
import { APPS_QUEUE } from '../../../src/domains/apps/queue.ts'
import { clusterDirectory } from '../../../src/domains/clusters/store/index.ts'
import { userDirectory } from '../../../src/identity/index.ts'
import { failureOf, RefusedFields, seededRandom, systemClock } from '../../../src/kernel/index.ts'
import { insideTransaction, PostgresQueue, type Actor } from '../../../src/store/index.ts'
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts'

export const SCHEMA = {
  type: 'object',
  properties: {
    user: {
      type: 'object',
      additionalProperties: false,
      properties: {
        message: { type: 'string', maxLength: 40 },
        replicas: { type: 'integer', minimum: 1, maximum: 5 },
        password: { type: 'string', writeOnly: true, minLength: 8 },
      },
    },
  },
} as const satisfies JsonObject

export const ringOf = (...ids: readonly string[]): KeyRing =>
  keyRing(ids.map((id) => `${id}:${Buffer.alloc(32, id).toString('base64')}`).join())

const digestOf = (version: string): string => `sha256:${Buffer.from(version).toString('hex').padStart(64, '0')}`

export const chartOf = (version: string, more: Partial<Chart> = {}): Chart => ({
  archive: '/nowhere',
  digest: digestOf(version),
  name: 'hello',
  version,
  appVersion: null,
  description: null,
  icon: null,
  defaultValues: { image: 'nginx', user: { message: 'hello', replicas: 1 } },
  valuesSchema: SCHEMA,
  ...more,
})

/** A registry that has every version of one chart, and is never asked while rows are held. */
export const registry = (more: Partial<Chart> = {}): Charts => ({
  async fetch({ version }) {
    if (insideTransaction()) throw new Error('the registry was asked inside a transaction')
    return chartOf(version, more)
  },
})

export interface AppsWorld extends AsyncDisposable {
  readonly database: TestDatabase
  readonly queue: PostgresQueue
  readonly apps: Apps
  readonly admin: Actor & { readonly userId: string }
  readonly ann: Actor & { readonly userId: string }
  readonly bob: Actor & { readonly userId: string }
  /** The same room with other furniture. */
  appsWith(more: Partial<UseCaseDeps>): Apps
  /** A product with a canonical template of chart 1.0.0. */
  product(name?: string): Promise<{ readonly product: Product; readonly template: Template }>
}

export async function appsWorld(): Promise<AppsWorld> {
  const database = await freshDatabase()
  const queue = new PostgresQueue({ pool: database.openQueuePool(), name: APPS_QUEUE, keepHistory: true })
  const rows = await database.pool.query<{ id: string }>(
    `insert into caelus.user (email, is_admin)
     values ('root@example.org', true), ('ann@example.org', false), ('bob@example.org', false) returning id`,
  )
  const [root = '', annId = '', bobId = ''] = rows.map(({ id }) => id)
  const admin = { userId: root, admin: true }
  const room: UseCaseDeps = {
    pool: database.pool,
    queue,
    ring: ringOf('k1'),
    charts: registry(),
    users: userDirectory,
    clusters: clusterDirectory,
    ingressClass: 'nginx',
    clock: systemClock,
    random: seededRandom(1),
  }
  const apps = openApps(room)
  return {
    database,
    queue,
    apps,
    admin,
    ann: { userId: annId, admin: false },
    bob: { userId: bobId, admin: false },
    appsWith: (more) => openApps({ ...room, ...more }),
    async product(name = 'Hello') {
      const { id: productId } = await apps.createProduct(admin, { name })
      const template = await apps.publishTemplate(admin, { productId, ...CHART, canonical: true })
      return { product: await apps.getProduct(admin, productId), template }
    },
    async [Symbol.asyncDispose]() {
      queue.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** A cluster of a new organization of that owner. Answers with its id. */
export async function newCluster({ database: { pool } }: AppsWorld, { userId }: AppsWorld['ann']): Promise<string> {
  const [row] = await pool.query<{ id: string }>(
    `with organization as (insert into tenant.organizations (name) values ('of ' || gen_random_uuid()) returning id),
       owner as (
         insert into tenant.organization_members (organization_id, user_id, role) select id, $1, 'owner' from organization)
     insert into tenant.clusters (organization_id, name, region, kubernetes_version)
     select id, 'shop', 'local', '1.34' from organization returning id`,
    [userId],
  )
  return row?.id ?? ''
}

export const CHART = { chartRef: 'oci://registry.example.org/hello', chartVersion: '1.0.0' } as const

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
