import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parse } from 'yaml'
import { charts } from '../../src/domains/apps/helm/index.ts'
import { installCrd, Namespace, type Client, type Crd, type CustomResourceDefinition } from '../../src/kube/index.ts'
import { freePort } from '../../tools/process/index.ts'
import { goModule, goPeer } from '../go-peer.ts'
import { parallel, type Row } from '../measure.ts'
import { Measured } from '../process.ts'
import { DAMAGED, DAMAGES, deleted, type Damage } from './damage.ts'
import { HelmChart, HelmRelease, OCIRepository } from './flux-kinds.ts'
import { FluxReleases } from './flux-releases.ts'
import { phase } from './phase.ts'
import { CHART, CHART_VERSION, domainOf, onControlPlane, type Place } from './place.ts'

const MODULE = 'github.com/fluxcd/helm-controller'
const NAMESPACE = 'flux-system'
const CHART_NAME = 'page'
const nameOf = (i: number): string => `page-${i}`

/** Releases whose Deployments are damaged without telling Flux, and how often it looks by itself. */
const UNASKED = { damage: deleted, releases: 6, interval: '1m', apartMs: 10_000 }

export interface FluxOptions {
  readonly peer: string
  /** Whether a release counts as installed once it is healthy, as is its default, or once it is applied. */
  readonly wait: boolean
  readonly n: number
  readonly outDir: string
  readonly keep: (row: Row) => void
}

/**
 * Flux's helm-controller, four at a time as is its default, with drift detection on. All releases share one chart. Its archive
 * is served from here in place of source-controller, which would have nothing to do once it had fetched it.
 */
export const measureFlux = (options: FluxOptions): Promise<void> =>
  onControlPlane(options.n, async (place) => {
    const { peer, wait, n, outDir, keep } = options
    const { client, dir, controlPlane } = place
    await preparePlace(client, n)
    const archives = await serveChart(place)
    const command = [goPeer('helm-controller', outDir, MODULE), ...(await flags())]
    const env = { KUBECONFIG: controlPlane.kubeconfig, RUNTIME_NAMESPACE: NAMESPACE }
    const program = new Measured(command, env, join(dir, 'flux.log'))
    const releases = new FluxReleases(client, NAMESPACE)
    const phases = { peer, place, usage: program, keep }
    try {
      await phase(phases, 'install', async () => {
        const from = performance.now()
        await parallel(n, 8, (i) => order(client, i, wait))
        await releases.until('all ready', () => releases.readyAt.size === n)
        const latencies = [...releases.readyAt.values()].map((at) => at - from)
        return { n, latencies, notes: 'latencies since the first HelmRelease' }
      })
      if (!wait) return
      await releases.settle()
      await phase(phases, 'pass', async () => {
        const tokens: string[] = []
        await parallel(n, 8, async (i) => void (tokens[i] = await releases.ask(nameOf(i))))
        await releases.until('the pass', () => tokens.every((token, i) => releases.hasHandled(nameOf(i), token)))
        return { n, notes: 'every release asked, drift detection enabled' }
      })
      for (const damage of DAMAGES) {
        await phase(phases, `restore-${damage.name}`, () => asked(client, releases, damage, Math.min(n, DAMAGED)))
      }
      await phase(phases, `restore-${UNASKED.damage.name}-unasked`, () => unasked(client, releases, n))
    } finally {
      releases.stop()
      await program.stop()
      archives.close()
    }
  })

async function preparePlace(client: Client, n: number): Promise<void> {
  const file = join(goModule('helm-controller', MODULE), 'config/crd/bases/helm.toolkit.fluxcd.io_helmreleases.yaml')
  const manifest = parse(await readFile(file, 'utf8')) as CustomResourceDefinition
  const Definition: Crd = { ...HelmRelease, spec: HelmChart.spec, status: HelmChart.status, manifest }
  for (const crd of [Definition, HelmChart, OCIRepository]) await installCrd(client, crd)
  const names = [NAMESPACE, ...Array.from({ length: n }, (_, i) => nameOf(i))]
  for (const name of names) await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
}

async function serveChart({ dir, client }: Place): Promise<Server> {
  const source = charts({ cacheDir: join(dir, 'charts'), localPaths: true })
  const { archive } = await source.fetch({ ref: CHART, version: CHART_VERSION, digest: null })
  const content = await readFile(archive)
  const server = createServer((_, response) => response.end(content))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { metadata } = await client.create(HelmChart, {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'HelmChart',
    metadata: { namespace: NAMESPACE, name: CHART_NAME },
    spec: { chart: CHART_NAME, version: CHART_VERSION },
  })
  const path = `${CHART_NAME}-${CHART_VERSION}.tgz`
  const artifact = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`,
    path,
    revision: CHART_VERSION,
    digest: `sha256:${createHash('sha256').update(content).digest('hex')}`,
    lastUpdateTime: new Date().toISOString(),
  }
  const status = { observedGeneration: metadata.generation ?? 1, artifact }
  await client.patchStatus(HelmChart, { namespace: NAMESPACE, name: CHART_NAME }, { merge: { status } })
  return server
}

async function flags(): Promise<string[]> {
  const [metrics, health] = [await freePort(), await freePort()]
  return [
    `--metrics-addr=127.0.0.1:${metrics}`,
    `--health-addr=127.0.0.1:${health}`,
    '--enable-leader-election=false',
    '--graceful-shutdown-timeout=5s',
  ]
}

async function order(client: Client, i: number, wait: boolean): Promise<void> {
  const waiting = { disableWait: !wait }
  await client.create(HelmRelease, {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { namespace: NAMESPACE, name: nameOf(i) },
    spec: {
      interval: '1h',
      chartRef: { kind: 'HelmChart', name: CHART_NAME },
      releaseName: nameOf(i),
      targetNamespace: nameOf(i),
      storageNamespace: nameOf(i),
      driftDetection: { mode: 'enabled' },
      values: { ingress: { host: domainOf(i) } },
      install: waiting,
      upgrade: waiting,
    },
  })
}

async function asked(client: Client, releases: FluxReleases, damage: Damage, n: number) {
  const latencies: number[] = []
  for (let i = 0; i < n; i++) {
    await releases.settle()
    const ask = async (): Promise<void> => void (await releases.ask(nameOf(i)))
    latencies.push(await damage.untilRestored(client, nameOf(i), ask))
  }
  return { n, latencies, notes: 'a reconciliation is asked for at once' }
}

async function unasked(client: Client, releases: FluxReleases, n: number) {
  const { damage, interval, apartMs } = UNASKED
  const count = Math.min(n, UNASKED.releases)
  await parallel(count, count, (i) => releases.patch(nameOf(i), { spec: { interval } }))
  await releases.settle()
  const latencies = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      await delay(i * apartMs)
      return await damage.untilRestored(client, nameOf(i), async () => {})
    }),
  )
  await parallel(count, count, (i) => releases.patch(nameOf(i), { spec: { interval: '1h' } }))
  await releases.settle()
  return { n: count, latencies, notes: `nobody asks; it looks every ${interval} by itself` }
}
