import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { appsChanges, appsRoutes, type AppsInsight } from '../../../src/api/routes/apps/index.ts'
import { openAppsControlPlane } from '../../../src/processes/apps/control-plane.ts'
import { openAppsUseCases, type AppsUseCases } from '../../../src/processes/apps/usecases.ts'
import { appsWorkerServices } from '../../../src/processes/apps/worker.ts'
import { APPS } from '../../../src/config/apps.ts'
import { OF_PROCESSES, readConfig } from '../../../src/config/index.ts'
import { createEmitter, startAll } from '../../../src/kernel/index.ts'
import { Ingress, Namespace } from '../../../src/kube/index.ts'
import { obtainBinaries } from '../../../tools/binaries/index.ts'
import { testClient, testTransport } from '../../support/kube.ts'
import { layVolume } from '../../support/volume.ts'
import { closeBrowser, consoleWorld, picture } from '../world.ts'

afterAll(closeBrowser)

const HELLO = join(import.meta.dirname, '../../../charts/hello-static')

/** The console, the API, a worker with the real Helm, and the control plane of this run. */
async function liveConsole() {
  const folder = await mkdtemp(join(tmpdir(), 'caelus-console-live-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const env = {
    CAELUS_DATA_DIR: folder,
    CAELUS_LOCAL_CHARTS: 'true',
    CAELUS_VALUES_KEY: `test:${Buffer.alloc(32, 7).toString('base64')}`,
  }
  const config = readConfig(env, { sections: [...OF_PROCESSES, APPS] })
  const rooms: AppsUseCases[] = []
  const sights: AppsInsight[] = []
  const insight = new Proxy({} as AppsInsight, { get: (_, verb) => sights[0]?.[verb as keyof AppsInsight] })
  const world = await consoleWorld(
    {},
    {
      topics: [appsChanges],
      routes: ({ pool, url }) => {
        const useCases = openAppsUseCases({ config, databaseUrl: url, pool })
        rooms.push(useCases)
        return [appsRoutes({ apps: useCases.apps, insight })]
      },
    },
  )
  const [useCases] = rooms
  if (useCases === undefined) throw new Error('expected the routes of apps to be asked for')
  const databaseUrl = world.api.url
  const [{ helm }, transport, client] = await Promise.all([obtainBinaries(['helm']), testTransport(), testClient()])
  const kubeconfig = inject('kubeconfig')
  const controlPlane = await openAppsControlPlane({
    config,
    env: {},
    databaseUrl,
    role: 'caelus_worker',
    useCases,
    transport,
    kubeconfig,
    helm,
  })
  sights.push(controlPlane.insight)
  const stop = await startAll(
    appsWorkerServices({
      config,
      databaseUrl,
      controlPlane,
      emitter: createEmitter(),
      decisions: world.api.decided,
      onError: () => {},
    }),
  )
  onTestFinished(async () => {
    await stop()
    await Promise.all([controlPlane.close(), useCases.close()])
    await Promise.all([transport[Symbol.asyncDispose](), client[Symbol.asyncDispose]()])
  })
  world.api.parts.board.domain('apps', { enabled: true, health: 'ok', message: '', objects: 0, not_ready: 0 })
  return { ...world, apps: useCases.apps, client }
}

test(
  'an order becomes a running app, follows its owner and goes, before the eyes of its tenant',
  { timeout: 300_000 },
  async () => {
    const { apps, client, signedIn } = await liveConsole()
    const admin = { admin: true } as const
    const product = await apps.createProduct(admin, { name: 'Hello static' })
    await apps.publishTemplate(admin, {
      productId: product.id,
      chartRef: HELLO,
      chartVersion: '0.1.0',
      canonical: true,
    })
    const page = await signedIn(`/apps/catalogue/${product.id}/order`, { role: 'member' })
    page.setDefaultTimeout(120_000)
    await page.getByRole('textbox', { name: 'Domain' }).fill('live.example.test')
    await page.getByRole('textbox', { name: 'Message' }).fill('Guten Tag')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('objects are created').waitFor()
    await page.getByRole('button', { name: 'Order', exact: true }).click()
    await page.getByRole('heading', { name: 'live.example.test', exact: true }).waitFor()

    const { items } = await apps.listDeployments(admin, { limit: 1 })
    const name = items[0]?.namespaceName ?? ''
    onTestFinished(async () => {
      const cleaner = await testClient()
      await cleaner.delete(Namespace, { name })
      await cleaner[Symbol.asyncDispose]()
    })
    await using _ = await layVolume(client, { namespace: name, name: `${name}-data` })
    await page
      .getByRole('heading', { name: 'live.example.test' })
      .locator('..')
      .getByText('Ready', { exact: true })
      .waitFor()
    await page.getByRole('list', { name: 'Resources' }).getByText('PersistentVolumeClaim', { exact: true }).waitFor()
    await page.getByText('What was asked for last is applied').waitFor()
    await page.setViewportSize({ width: 1360, height: 690 })
    await picture(page, 'apps-live')
    await page.setViewportSize({ width: 1360, height: 900 })

    await page.getByRole('link', { name: 'Change' }).click()
    await page.getByRole('textbox', { name: 'Domain' }).fill('moved.example.test')
    await page.getByRole('textbox', { name: 'Message' }).fill('Gute Nacht')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page
      .getByText(/is changed|are changed/)
      .first()
      .waitFor()
    await page.locator('del').getByText('live.example.test').first().waitFor()
    await picture(page, 'apps-change')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('2, applied').waitFor()
    expect((await client.get(Ingress, { namespace: name, name }))?.spec?.rules?.[0]?.host).toBe('moved.example.test')

    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('moved.example.test')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete app' }).click()
    await page.getByRole('list', { name: 'Deletion' }).waitFor()
    await page.getByText('Deleted', { exact: true }).waitFor()
    expect(await client.get(Namespace, { name })).toBeUndefined()
  },
)
