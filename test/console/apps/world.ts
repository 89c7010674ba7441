import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ProductView, ResourceView, Role } from '../../../src/api/contract/index.ts'
import { appsChanges, appsRoutes, type AppsInsight } from '../../../src/api/routes/apps/index.ts'
import { openApps, type Apps } from '../../../src/domains/apps/usecases/index.ts'
import { charts } from '../../../src/domains/apps/helm/index.ts'
import {
  diffObjects,
  keyRing,
  masker,
  redactedDiff,
  type JsonObject,
  type ReleaseText,
  type Trial,
} from '../../../src/domains/apps/index.ts'
import { userDirectory } from '../../../src/identity/index.ts'
import { seededRandom, systemClock, type Explanation } from '../../../src/kernel/index.ts'
import { openPool, openQueuePool, PostgresQueue } from '../../../src/store/index.ts'
import { consoleWorld, emailOf, type ConsoleWorld } from '../world.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** Charts are called as in a registry; where they lie is nobody's business on a picture. */
const REGISTRY = 'oci://charts.example.test'
export const HELLO = `${REGISTRY}/hello-static`

export interface AppsConsole extends ConsoleWorld {
  readonly apps: Apps
  /** What somebody who looks at the control plane would see; a test writes into it. */
  readonly controlPlane: ControlPlane
  /** The user who signs in with this role. */
  readonly userId: (role: Role) => Promise<string>
  /** A product that can be ordered. */
  readonly publish: (name: string, chart: string, more?: Partial<ProductView>) => Promise<string>
  /** A chart with nothing in it but a form. */
  readonly formChart: (schema: JsonObject, user: JsonObject) => Promise<string>
  /** Writes what a worker would write about a deployment. */
  readonly report: (columns: Readonly<Record<string, unknown>>) => Promise<void>
}

interface ControlPlane {
  /** What charts are tried with. */
  trial: Trial | undefined
  resources: readonly ResourceView[]
  notes: ReleaseText | undefined
  explanation: Explanation
}

const AT_REST: Explanation = {
  why: ['what was asked for last is applied'],
  next: 'nothing, until something changes',
  at: null,
  whoseMove: 'nobody',
  nextStep: null,
  blockers: [],
}

/** The console on the real API with apps enabled, and a control plane that shows what the test says. */
export async function appsConsole(): Promise<AppsConsole> {
  const folder = await mkdtemp(join(tmpdir(), 'caelus-console-apps-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const controlPlane: ControlPlane = { trial: undefined, resources: [], notes: undefined, explanation: AT_REST }
  const source = charts({ cacheDir: folder, localPaths: true })
  const known = new Map([[HELLO, join(ROOT, 'charts/hello-static')]])
  const opened: Apps[] = []
  const ends: (() => Promise<unknown>)[] = []
  const world = await consoleWorld(
    {},
    {
      topics: [appsChanges],
      routes: ({ pool, url }) => {
        const queuePool = openQueuePool({ url, applicationName: 'test queue', role: 'caelus_api' })
        ends.push(() => queuePool.end())
        const apps = openApps({
          pool,
          queue: new PostgresQueue({ pool: queuePool, name: 'apps' }),
          ring: keyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`),
          charts: {
            fetch: (at, signal) => source.fetch({ ...at, ref: known.get(at.ref) ?? at.ref }, signal),
          },
          users: userDirectory,
          trial: () => controlPlane.trial,
          ingressClass: 'nginx',
          clock: systemClock,
          random: seededRandom(7),
        })
        opened.push(apps)
        return [appsRoutes({ apps, insight: sightOf(controlPlane) })]
      },
    },
  )
  const [apps] = opened
  if (apps === undefined) throw new Error('expected the routes of apps to be asked for')
  const rows = openPool({ url: world.api.url, applicationName: 'test worker', role: 'caelus_worker' })
  onTestFinished(async () => {
    await rows.end()
    for (const end of ends) await end()
  })
  world.api.parts.board.domain('apps', { enabled: true, health: 'ok', message: '', objects: 0, not_ready: 0 })
  const admin = { admin: true } as const
  return {
    ...world,
    apps,
    controlPlane,
    async userId(role) {
      const email = emailOf(role)
      const user = await world.api.parts.users.signIn({ subject: `dev#${email}`, email, isVerified: true, role })
      if (user === undefined) throw new Error(`failed to make user ${email}`)
      return user.id
    },
    async publish(name, chart, more = {}) {
      const { description = null, icon = null } = more
      const product = await apps.createProduct(admin, { name, description, icon })
      await apps.publishTemplate(admin, {
        productId: product.id,
        chartRef: chart,
        chartVersion: '0.1.0',
        versionLabel: '2026-11',
        canonical: true,
      })
      return product.id
    },
    async formChart(schema, user) {
      const path = await mkdtemp(join(folder, 'chart-'))
      await mkdir(join(path, 'templates'))
      await writeFile(
        join(path, 'Chart.yaml'),
        'apiVersion: v2\nname: workshop\nversion: 0.1.0\nappVersion: "4.2"\ndescription: Room to work in\n',
      )
      await writeFile(join(path, 'values.yaml'), JSON.stringify({ user }))
      await writeFile(join(path, 'values.schema.json'), JSON.stringify(schema))
      const ref = `${REGISTRY}/workshop`
      known.set(ref, path)
      return ref
    },
    async report(columns) {
      const names = Object.keys(columns)
      const values = Object.values(columns).map((value) =>
        typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
      )
      const written = await rows.query(
        `update caelus.deployment set ${names.map((name, index) => `${name} = $${index + 1}`).join(', ')},
           observed_generation = generation, last_reconcile_at = now() returning id`,
        values,
      )
      if (written.length === 0) throw new Error('expected a deployment to write about')
    },
  }
}

/** Renders the two objects in which a tenant recognises their wishes. */
function sightOf(controlPlane: ControlPlane): AppsInsight {
  const objectsOf = (values: JsonObject): JsonObject[] => {
    const { user, ingress } = values as { user?: JsonObject; ingress?: { host?: string } }
    return [
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: 'web' },
        spec: { ingressClassName: 'nginx', rules: [{ host: ingress?.host ?? '' }] },
      },
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'page' },
        data: Object.fromEntries(Object.entries(user ?? {}).map(([name, value]) => [name, JSON.stringify(value)])),
      },
    ]
  }
  return {
    async preview({ before, after, secrets }) {
      const mask = masker(secrets)
      return {
        values: redactedDiff(before?.values ?? {}, after.values, { mask }),
        objects: diffObjects(before ? objectsOf(before.values) : [], objectsOf(after.values), mask),
      }
    },
    explain: async () => controlPlane.explanation,
    resources: async () => controlPlane.resources,
    notes: async () => controlPlane.notes,
    manifest: async () => ({ revision: 1, text: 'kind: Ingress\n' }),
    values: async () => undefined,
  }
}
