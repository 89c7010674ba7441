import { clustersWorker, type ClustersEvents } from '../src/domains/clusters/index.ts'
import { openGardener } from '../src/domains/clusters/gardener/client.ts'
import { openMockGarden } from '../src/domains/clusters/gardener/stand-in/mock.ts'
import { clusterRows } from '../src/domains/clusters/store/cluster-rows.ts'
import { createEmitter, decisionLog, startAll, systemClock, type KernelEvents } from '../src/kernel/index.ts'
import {
  httpTransport,
  loadKubeConfig,
  observed,
  type RequestEvents,
  type Transport,
  type WatchEvents,
} from '../src/kube/index.ts'
import { openPool, openRowQueue } from '../src/store/index.ts'
import { BENCH_SETTINGS } from './clusters/settings.ts'

/*
 * The clusters worker as a program, for the harness: on the Gardener of GARDENER_KUBECONFIG, or on one in its own memory. It
 * prints one line when it works, and one for every pass with its milliseconds and the requests made so far, by verb.
 */
const { DATABASE_URL: url = '', GARDENER_KUBECONFIG: kubeconfig, PASS_MS = '600000', CONCURRENCY = '16' } = process.env
const told = createEmitter<KernelEvents & WatchEvents & ClustersEvents & RequestEvents>()
const clock = systemClock

const requests: Record<string, number> = {}
told.on('kube:request', ({ verb, resource }) => {
  // The heartbeat asks every 5 s whether Gardener answers.
  if (resource !== 'other') requests[verb] = (requests[verb] ?? 0) + 1
})
told.on('reconcile:end', ({ key, failure }) => {
  if (failure) console.error(key.id, failure.code, failure.message)
})
told.on('clusters:scanned', ({ clusters, woken, ms }) =>
  console.log(`pass ${JSON.stringify({ clusters, woken, ms, requests })}`),
)

/** The mock without its gardenlet: syncs are measured, not how fast statuses are made up. */
async function inMemory(): Promise<Transport> {
  const garden = await openMockGarden({ clock, random: Math.random, emitter: told, namespaceAfterMs: 0 })
  await startAll(garden.services.filter(({ name }) => !name.startsWith('gardenlet')))
  return garden.transport
}

const transport = observed(
  kubeconfig === undefined ? await inMemory() : httpTransport(await loadKubeConfig({ path: kubeconfig })),
  told,
)
const settings = BENCH_SETTINGS
const gardener = openGardener({
  mode: kubeconfig === undefined ? 'mock' : 'real',
  transport,
  settings,
  clock,
  emitter: told,
})
const pool = openPool({ url, applicationName: 'bench clusters', role: 'caelus_worker', max: 16 })
const rows = openRowQueue({
  url,
  name: 'clusters',
  role: 'caelus_worker',
  onListenerLost: (error) => console.error(error),
})
const stop = await startAll([
  ...rows.services,
  ...clustersWorker({
    gardener,
    settings,
    queue: rows.queue,
    rows: clusterRows(pool),
    clock,
    random: Math.random,
    emitter: told,
    decisions: decisionLog(),
    instance: 'bench',
    concurrency: Number(CONCURRENCY),
    passMs: Number(PASS_MS),
  }),
])
await gardener.shoots.start()
console.log('working')
process.once('SIGTERM', () => {
  void stop()
    .then(() => pool.end())
    .then(() => process.exit())
})
