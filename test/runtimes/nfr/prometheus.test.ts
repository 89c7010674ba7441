import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ClassRuntime,
  defaultQueries,
  prometheus,
  type ClassRuntimeSpec,
  type PrometheusSource,
  type RuntimesEvents,
} from '../../../src/domains/runtimes/index.ts'
import { findCondition, type Condition, type Emitter } from '../../../src/kernel/index.ts'
import { Deployment, Pod } from '../../../src/kube/index.ts'
import { startPrometheus, type Prometheus } from '../../../tools/prometheus.ts'
import { LoadGenerator, type Load } from './load-generator.ts'
import { fn, PATIENCE_MS, RuntimesWorld } from '../world.ts'

const MI = 2 ** 20
const QUERIES = defaultQueries('10s')
/** Also how long a scrape may take: one that comes too late hides what the one before it has seen. */
const SCRAPE_MS = 1_000
const INTERVAL_MS = 500
/** The first start on a machine downloads it. */
const OBTAIN_MS = 300_000

/** Half of the wanted throughput at 1.3 pods' worth of cpu, and slow: three pods for the load and one for the latency. */
const BUSY: Load = { rps: 50, latencyMs: 400, cpuMillicores: 650, memoryBytes: 180 * MI }
const WANTED: ClassRuntimeSpec = { nfr_requirements: { min_throughput_rps: 100, max_latency_ms: 300 } }

let load: LoadGenerator
let server: Prometheus
let source: PrometheusSource
beforeAll(async () => {
  load = await LoadGenerator.start()
  server = await startPrometheus({ targets: { functions: load.address }, scrapeIntervalMs: SCRAPE_MS })
  source = prometheus({ url: server.url, timeoutMs: 10_000 })
}, OBTAIN_MS)
afterAll(async () => {
  await source.close()
  await server.stop()
  await load[Symbol.asyncDispose]()
})

/** Every pod of the namespace under this load, as soon as it is there. */
async function driven(world: RuntimesWorld, name: string, behaviour: Load): Promise<void> {
  await world.reaches(name, 'available')
  const pods = await world.client.list(Pod, { namespace: world.namespace, labels: `oaas.io/owner=${name}` })
  for (const { metadata } of pods) load.drive(world.namespace, metadata.name, behaviour)
}

type Analyzed = RuntimesEvents['runtimes:analyzed']

/** The passes that follow, until one is as expected. */
function passes(told: Pick<Emitter<RuntimesEvents>, 'on'>, isEnough: (all: readonly Analyzed[]) => boolean) {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Analyzed[]>()
  const all: Analyzed[] = []
  const timer = setTimeout(() => reject(new Error(`not as expected: ${JSON.stringify(all.slice(-3))}`)), PATIENCE_MS)
  const off = told.on('runtimes:analyzed', (one) => {
    all.push(one)
    if (isEnough(all)) resolve(all)
  })
  return promise.finally(() => {
    off()
    clearTimeout(timer)
  })
}

test('what Prometheus knows about the pods becomes recommendations for their function', async () => {
  await using world = await RuntimesWorld.make()
  const { told } = await world.controller({ analyzer: { source, intervalMs: INTERVAL_MS, queries: QUERIES } })
  await world.create('shop', { ...WANTED, functions: [fn('cart')] })
  await driven(world, 'shop', BUSY)
  const { status } = await world.sees(ClassRuntime, 'shop', (one) => {
    const found = one.status?.nfr_recommendations ?? {}
    return found['replicas/cart']?.value === 4 && 'memory/cart' in found && 'cpu/cart' in found
  })
  const { 'memory/cart': memory, 'cpu/cart': cpu, 'replicas/cart': replicas } = status?.nfr_recommendations ?? {}
  expect(memory).toMatchObject({
    value: 224 * MI,
    confidence: 1,
    basis: '180Mi on average, 180Mi at most, in 1 of 1 pods',
  })
  expect(cpu?.value).toBeGreaterThan(0)
  expect(replicas?.basis).toMatch(/^\S+ rps of 100 wanted, [\d.]+m cpu at 500m per pod, p99 49\d ms above 300 ms$/)
  expect(findCondition((status?.conditions ?? []) as Condition[], 'NfrObserved')?.status).toBe('True')

  // From then on nothing moves, so that nothing is written although it is looked at twice a second.
  const isQuiet = ({ runtimes, written, failures }: Analyzed) =>
    runtimes === 1 && written === 0 && failures.length === 0
  await passes(told, (all) => all.length >= 4 && all.slice(-4).every(isQuiet))
})

test('a recommendation goes all the way to the replicas of the workload', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller({ analyzer: { source, intervalMs: INTERVAL_MS, queries: QUERIES } })
  const enforcement = { mode: 'enforce', dimensions: ['replicas'] } satisfies ClassRuntimeSpec['enforcement']
  await world.create('shop', { ...WANTED, enforcement, functions: [fn('cart')] })
  await driven(world, 'shop', BUSY)
  await world.sees(Deployment, 'shop--cart', ({ spec }) => spec?.replicas === 4)
  const { status } = await world.sees(
    ClassRuntime,
    'shop',
    (one) => one.status?.last_applied_recommendations?.some(({ target }) => target === 4) === true,
  )
  expect(status?.nfr_state?.['replicas/cart']?.applied).toBe(4)
})

test('while nobody answers nothing is written, and it is told why', async () => {
  await using world = await RuntimesWorld.make()
  const own = await startPrometheus({ targets: {} })
  await using dying = prometheus({ url: own.url })
  const { told } = await world.controller({ analyzer: { source: dying, intervalMs: INTERVAL_MS } })
  await world.create('shop', { ...WANTED, functions: [fn('cart')] })
  const before = await world.reaches('shop', 'available')
  await own.stop()
  // The first one that is heard of may have begun before.
  const all = await passes(told, (some) => some.length >= 2)
  expect(all.at(-1)).toMatchObject({ written: 0 })
  expect(all.at(-1)?.failures.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => 'MetricsUnreachable'))
  expect((await world.runtime('shop')).status).toEqual(before.status)
})
