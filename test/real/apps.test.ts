import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openApps, type Apps, type ListedDeployment } from '../../src/domains/apps/usecases/index.ts'
import { charts } from '../../src/domains/apps/helm/index.ts'
import { APPS_QUEUE } from '../../src/domains/apps/queue.ts'
import { userDirectory } from '../../src/identity/index.ts'
import { startAll, systemClock } from '../../src/kernel/index.ts'
import {
  httpTransport,
  loadKubeConfig,
  makeClient,
  Namespace,
  PersistentVolume,
  Service,
  type Client,
} from '../../src/kube/index.ts'
import { PostgresQueue } from '../../src/store/index.ts'
import { obtainBinaries } from '../../tools/binaries/index.ts'
import { startControlPlane, type ControlPlane } from '../../tools/control-plane/index.ts'
import { canRunNode, NODE, NODE_IMAGES } from '../../tools/node/index.ts'
import { startPostgres } from '../../tools/postgres/postgres.ts'
import { CLASS, openWorker } from '../apps/worker/parts.ts'
import { freshDatabase } from '../support/postgres.ts'
import { createUser } from '../support/users.ts'

const CHART = join(import.meta.dirname, '../../charts/hello-static')
const ADMIN = { admin: true } as const
const VOLUMES = '/run/volumes'

const dir = await mkdtemp(join(tmpdir(), 'caelus-apps-'))
const verdict = await canRunNode(dir)
const ending: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })]
afterAll(async () => {
  for (const end of ending.toReversed()) await end()
})

if (!verdict.ok) {
  test('a machine on which no app can run is told why', async () => {
    await expect(startControlPlane({ dir: join(dir, 'control-plane'), nodes: 'real' })).rejects.toMatchObject({
      cause: { message: expect.stringContaining(verdict.because) },
    })
  })
} else {
  describe('hello-static on a real node', () => {
    let controlPlane: ControlPlane
    let client: Client
    let apps: Apps
    let ordered: ListedDeployment

    beforeAll(async () => {
      const [started, postgres, { helm }] = await Promise.all([
        startControlPlane({ dir: join(dir, 'control-plane'), nodes: 'real' }),
        startPostgres(),
        obtainBinaries(['helm']),
      ])
      controlPlane = started
      ending.push(() => postgres.stop())
      ending.push(() => controlPlane.stop())
      const transport = httpTransport(await loadKubeConfig({ path: controlPlane.kubeconfig }))
      ending.push(() => transport.close())
      client = makeClient(transport, { fieldManager: 'test' })
      const database = await freshDatabase(postgres.url)
      ending.push(async () => database[Symbol.asyncDispose]())
      const queue = new PostgresQueue({ pool: database.openQueuePool(), name: APPS_QUEUE })
      ending.push(async () => queue.close())
      apps = openApps({
        pool: database.pool,
        queue,
        charts: charts({ cacheDir: join(dir, 'charts'), localPaths: true }),
        users: userDirectory,
        ingressClass: CLASS,
        clock: systemClock,
        random: Math.random,
      })
      const { services } = await openWorker({
        databaseUrl: database.url,
        kubeconfig: controlPlane.kubeconfig,
        helmBinary: helm,
        dir,
        instance: 'worker',
      })
      ending.push(await startAll(services))

      const [repository = '', tag = ''] = NODE_IMAGES.nginx.split(':')
      const userId = await createUser(database.pool, 'ada@example.com')
      const { id: productId } = await apps.createProduct(ADMIN, { name: 'hello-static' })
      const { id: templateId } = await apps.publishTemplate(ADMIN, {
        productId,
        chartRef: CHART,
        chartVersion: '0.1.0',
        defaultValues: { image: { repository, tag } },
        healthTimeoutSec: 120,
      })
      const domainname = 'hello.example.com'
      const userValues = { message: 'It works' }
      ordered = await apps.createDeployment(ADMIN, { userId, templateId, domainname, userValues })
      await layVolume(ordered.namespaceName)
    })

    /** The node provisions none. */
    const layVolume = async (name: string): Promise<void> => {
      const path = `${VOLUMES}/${name}`
      await controlPlane.exec('mkdir', '-p', path)
      await client.create(PersistentVolume, {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          local: { path },
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [NODE.name] }] },
              ],
            },
          },
          claimRef: { namespace: name, name: `${name}-data` },
        },
      })
    }

    const until = async (status: ListedDeployment['status']): Promise<void> => {
      const told = async (): Promise<string> => {
        const row = await apps.getDeployment(ADMIN, { id: ordered.id })
        const isCurrent = status === 'deleted' || row.observedGeneration === row.generation
        return row.status === status && isCurrent ? status : `${row.status}: ${JSON.stringify(row.lastError)}`
      }
      await expect.poll(told, { timeout: 150_000, interval: 200 }).toBe(status)
    }

    /** As a visitor of the service gets it. Never asked for from this machine's own network. */
    const page = async (): Promise<string> => {
      const at = { namespace: ordered.namespaceName, name: ordered.releaseName }
      const { clusterIP = '' } = (await client.get(Service, at))?.spec ?? {}
      const forward = await controlPlane.forward(clusterIP, 80)
      try {
        const response = await request(`http://127.0.0.1:${forward.port}/`, { headersTimeout: 3_000 })
        return await response.body.text()
      } finally {
        await forward.close()
      }
    }

    /** The first that contains it. */
    const pageWith = async (text: string): Promise<string> => {
      let html = ''
      await expect.poll(async () => (html = await page().catch(String)), { timeout: 30_000 }).toContain(text)
      return html
    }

    const change = (message: string): Promise<ListedDeployment> =>
      apps.updateDeployment(ADMIN, { id: ordered.id }, { userValues: { message } })

    test('is ordered, and serves its message', async () => {
      await until('ready')
      await pageWith('<h1>It works</h1>')
    })

    test('serves another message once that was asked for', async () => {
      await change('It changed')
      await until('ready')
      expect(await pageWith('<h1>It changed</h1>')).not.toContain('It works')
    })

    test('shows quotes, line breaks, braces, dollars and HTML as they were written', async () => {
      const message = `"double" 'single' \`back\`\n{{ .Values.image }} $(HOME) $HOME \\n %s\n<script>alert(1)</script> & 'grüße 🚀'`
      await change(message)
      await until('ready')
      const html = await pageWith('grüße 🚀')
      expect(html).not.toContain('<script>')
      expect(textOf(/<h1>(.*)<\/h1>/s.exec(html)?.[1] ?? '')).toBe(message)
    })

    test('is deleted with its namespace', async () => {
      await apps.deleteDeployment(ADMIN, { id: ordered.id })
      await until('deleted')
      expect(await client.get(Namespace, { name: ordered.namespaceName })).toBeUndefined()
    })
  })
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }

/** What a browser would show of it. */
const textOf = (html: string): string =>
  html.replace(/&(?:#(\d+)|(\w+));/g, (_, code?: string, name = '') =>
    code === undefined ? (NAMED[name] ?? `&${name};`) : String.fromCodePoint(Number(code)),
  )
