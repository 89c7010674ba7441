import { appsRoutes, type AppsInsight } from '../../../src/api/routes/apps/index.ts'
import type { DeploymentView, ProductView, TemplateView } from '../../../src/api/contract/index.ts'
import { openApps } from '../../../src/domains/apps/usecases/index.ts'
import { keyRing, type JsonObject } from '../../../src/domains/apps/index.ts'
import type { Chart, Charts } from '../../../src/domains/apps/helm/index.ts'
import { userDirectory } from '../../../src/identity/index.ts'
import { seededRandom, systemClock } from '../../../src/kernel/index.ts'
import { openQueuePool, PostgresQueue } from '../../../src/store/index.ts'
import { world, type Person, type World, type WorldOptions } from '../world.ts'

export const SCHEMA = {
  type: 'object',
  properties: {
    user: {
      type: 'object',
      additionalProperties: false,
      properties: {
        message: { type: 'string', maxLength: 20, title: 'Message' },
        replicas: { type: 'integer', minimum: 1, maximum: 5 },
        password: { type: 'string', writeOnly: true, minLength: 8 },
      },
    },
  },
} as const satisfies JsonObject

const chartOf = (version: string): Chart => ({
  archive: '/nowhere',
  digest: `sha256:${version.replaceAll('.', '').padStart(64, '0')}`,
  name: 'hello',
  version,
  appVersion: null,
  description: 'Says hello',
  icon: null,
  defaultValues: { user: { message: 'hello', replicas: 1 } },
  valuesSchema: SCHEMA,
})

/** A registry that has every version of one chart. */
const charts: Charts = { fetch: ({ version }) => Promise.resolve(chartOf(version)) }

/** Somebody who sees no control plane, but everything that they are shown. */
const insight: AppsInsight = {
  preview: ({ before, after }) =>
    Promise.resolve({
      values: [],
      objects: [
        { object: `Ingress/${after.deployment.domainname}`, change: before ? 'changed' : 'created', fields: [] },
      ],
    } as never),
  explain: (id) =>
    Promise.resolve({
      why: [`because ${id}`],
      next: 'nothing',
      at: null,
      whoseMove: 'nobody',
      nextStep: null,
      blockers: [],
    }),
  resources: () => Promise.resolve([]),
  notes: async ({ deployment }) => ({ revision: 1, text: `Open ${deployment.domainname}` }),
  manifest: async ({ deployment }) => ({ revision: 1, text: `---\nkind: Ingress\nhost: ${deployment.domainname}\n` }),
  values: async () => undefined,
}

export interface AppsWorld extends World {
  readonly admin: Person
  /** A product with a canonical template. */
  product(name?: string): Promise<ProductView & { readonly template_id: string }>
  publish(productId: string, version: string): Promise<TemplateView>
  order(by: Person, templateId: string, more?: Readonly<Record<string, unknown>>): Promise<DeploymentView>
}

let domains = 0

export async function appsWorld(options: WorldOptions & { readonly insight?: AppsInsight } = {}): Promise<AppsWorld> {
  const pools: { end(): Promise<void> }[] = []
  const w = await world({
    ...options,
    routes: ({ pool, url }) => {
      const queuePool = openQueuePool({ url, applicationName: 'test queue', role: 'caelus_api' })
      pools.push(queuePool)
      const apps = openApps({
        pool,
        queue: new PostgresQueue({ pool: queuePool, name: 'apps' }),
        ring: keyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`),
        charts,
        users: userDirectory,
        ingressClass: 'nginx',
        clock: systemClock,
        random: seededRandom(7),
      })
      return [appsRoutes({ apps, insight: options.insight ?? insight })]
    },
  })
  const admin = await w.person('admin')
  const post = async <T>(by: Person, url: string, payload: object): Promise<T> => {
    const answer = await w.as(by.secret, { method: 'POST', url: `/api/v1${url}`, payload })
    if (answer.statusCode !== 201) throw new Error(`POST ${url} answered ${answer.statusCode}: ${answer.body}`)
    return answer.json<T>()
  }
  const publish = (productId: string, version: string, canonical = false): Promise<TemplateView> =>
    post(admin, `/products/${productId}/templates`, {
      chart_ref: 'oci://registry/hello',
      chart_version: version,
      canonical,
    })
  return {
    ...w,
    admin,
    publish,
    async product(name = 'Hello') {
      const product = await post<ProductView>(admin, '/products', { name })
      const { id } = await publish(product.id, '1.0.0', true)
      return { ...product, template_id: id }
    },
    order: (by, template_id, more = {}) =>
      post(by, `/users/${by.userId}/deployments`, { template_id, domainname: `app${++domains}.example.test`, ...more }),
    async [Symbol.asyncDispose]() {
      await Promise.all(pools.map((pool) => pool.end()))
      await w[Symbol.asyncDispose]()
    },
  }
}
