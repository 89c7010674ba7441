import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { APPS } from '../../src/config/apps.ts'
import { OF_PROCESSES, readConfig } from '../../src/config/index.ts'
import { digestOf } from '../../src/domains/apps/helm/chart-archive.ts'
import { sourcesOfWorker } from '../../src/domains/apps/usecases/index.ts'
import { openAppsControlPlane } from '../../src/processes/apps/control-plane.ts'
import { openAppsUseCases, type AppsUseCases } from '../../src/processes/apps/usecases.ts'
import { obtainBinaries } from '../../tools/binaries/index.ts'
import { repository } from '../apps/helm/chart-servers.ts'
import { ROOT } from '../apps/helm/world.ts'
import { signingKey, type SigningKey } from '../support/open-pgp.ts'
import { freshDatabase } from '../support/postgres.ts'

const ADMIN = { admin: true }
const VERSION = '0.1.0'
const ADA = signingKey('Ada Lovelace <ada@example.com>')
const EVE = signingKey('Eve <eve@example.com>')
const BY_ADA = { fingerprint: ADA.fingerprint, identity: ADA.identity }
const UNVERIFIED = { failure: { code: 'ChartUnverified' } }

/** A repository with one chart, and processes with a database and Helm. */
async function scene() {
  const { helm } = await obtainBinaries(['helm'])
  const database = await freshDatabase()
  const dir = await mkdtemp(join(tmpdir(), 'caelus-provenance-test-'))
  const folder = join(dir, 'repository')
  await mkdir(folder)
  const env = { HELM_CACHE_HOME: dir, HELM_CONFIG_HOME: dir, HELM_DATA_HOME: dir, HOME: dir }
  const run = (...args: string[]) => promisify(execFile)(helm, args, { env })
  await run('package', join(ROOT, 'charts/hello-static'), '--destination', folder)
  await run('repo', 'index', folder)
  const server = await repository(folder)
  const ending: (() => Promise<unknown>)[] = []
  return {
    dir,
    database,
    host: server.host,
    chart: { chartRef: `http://${server.host}/hello-static`, chartVersion: VERSION },
    async sign(key: SigningKey) {
      const name = `hello-static-${VERSION}.tgz`
      const digest = digestOf(await readFile(join(folder, name)))
      const text = `name: hello-static\nversion: ${VERSION}\n\n...\nfiles:\n  ${name}: ${digest}\n`
      await writeFile(join(folder, `${name}.prov`), key.clearSign(text))
    },
    async open(settings: Record<string, string> = {}): Promise<AppsUseCases> {
      const dataDir = { CAELUS_DATA_DIR: dir, CAELUS_LOCAL_CHARTS: 'true', ...settings }
      const config = readConfig(dataDir, { sections: [...OF_PROCESSES, APPS] })
      const databaseUrl = database.urlOf('caelus_api')
      const useCases = openAppsUseCases({ config, databaseUrl, pool: database.pool })
      const controlPlane = { transport: {} as never, kubeconfig: '/nowhere', helm }
      const how = { config, env: {}, databaseUrl, role: 'caelus_api', useCases } as const
      const opened = await openAppsControlPlane({ ...how, ...controlPlane })
      ending.push(
        () => opened.close(),
        () => useCases.close(),
      )
      return useCases
    },
    async [Symbol.asyncDispose]() {
      for (const end of ending) await end()
      await server[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

test('a source that requires signatures has its charts verified, and templates remember who signed', async () => {
  await using world = await scene()
  const useCases = await world.open()
  const { apps, charts } = useCases
  const { id: productId } = await apps.createProduct(ADMIN, { name: 'Hello' })
  const publish = (versionLabel: string, more = {}) =>
    apps.publishTemplate(ADMIN, { productId, ...world.chart, versionLabel, ...more })
  const before = await publish('before')
  expect(before.signedBy).toBeNull()

  await apps.setChartSource(ADMIN, world.host, { verification: 'required', keyring: ADA.publicKey })
  const after = { defaultValues: { user: { message: 'signed' } } }
  await expect(publish('unsigned', after)).rejects.toMatchObject(UNVERIFIED)
  const pinned = { ref: before.chartRef, version: VERSION, digest: before.chartDigest }
  await expect(charts.fetch(pinned)).rejects.toMatchObject(UNVERIFIED)
  await world.sign(EVE)
  await expect(publish('by another', after)).rejects.toMatchObject(UNVERIFIED)
  await world.sign(ADA)
  const { id, signedBy } = await publish('signed', after)
  expect([signedBy, (await apps.getTemplate(ADMIN, id)).signedBy]).toEqual([BY_ADA, BY_ADA])
  expect(await apps.inspectChart(ADMIN, { ...pinned, digest: null })).toMatchObject({ chart: { signedBy: BY_ADA } })

  // As a worker reads it; and a change of something else does not forget it.
  useCases.readSourcesWith(sourcesOfWorker(world.database.pool))
  await apps.setChartSource(ADMIN, world.host, {})
  expect(await charts.fetch(pinned)).toMatchObject({ signedBy: BY_ADA })
  await apps.setChartSource(ADMIN, world.host, { keyring: EVE.publicKey })
  await expect(charts.fetch(pinned)).rejects.toMatchObject(UNVERIFIED)
  await apps.setChartSource(ADMIN, world.host, { verification: 'none' })
  expect(await charts.fetch(pinned)).not.toHaveProperty('signedBy')
})

test('the platform requires signatures of every source, by its own keys where a source has none', async () => {
  await using world = await scene()
  const keyring = join(world.dir, 'keys.asc')
  await writeFile(keyring, ADA.publicKey)
  const settings = { CAELUS_CHART_PROVENANCE: 'required', CAELUS_CHART_KEYRING: keyring }
  const { apps, charts } = await world.open(settings)
  const location = { ref: world.chart.chartRef, version: VERSION, digest: null }
  await world.sign(ADA)
  expect(await charts.fetch(location)).toMatchObject({ signedBy: BY_ADA })
  await expect(charts.fetch({ ...location, ref: join(ROOT, 'charts/hello-static') })).rejects.toMatchObject(UNVERIFIED)
  // A source may name other keys, and cannot do without.
  await apps.setChartSource(ADMIN, world.host, { verification: 'none', keyring: EVE.publicKey })
  await expect(charts.fetch(location)).rejects.toMatchObject(UNVERIFIED)
  await apps.setChartSource(ADMIN, world.host, { verification: 'required', keyring: null })
  expect(await charts.fetch(location)).toMatchObject({ signedBy: BY_ADA })
  await rm(keyring)
  await expect(charts.fetch(location)).rejects.toMatchObject(UNVERIFIED)
})

test('a source cannot require signatures without keys, nor take anything for keys', async () => {
  await using world = await scene()
  const { apps } = await world.open()
  const set = (input: object) => apps.setChartSource(ADMIN, world.host, input)
  await expect(set({ verification: 'required' })).rejects.toMatchObject({ fields: [{ field: 'keyring' }] })
  await expect(set({ keyring: 'ssh-ed25519 AAAA' })).rejects.toMatchObject({ fields: [{ field: 'keyring' }] })
})
