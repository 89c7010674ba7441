import { openAppsCluster } from '../src/processes/apps/control-plane.ts'
import { openAppsRoom } from '../src/processes/apps/usecases.ts'
import { appsWorkerServices } from '../src/processes/apps/worker.ts'
import { readConfig } from '../src/config/index.ts'
import type { AppsHappenings } from '../src/domains/apps/index.ts'
import { decisionLog, happenings, startAll, type KernelHappenings } from '../src/kernel/index.ts'
import {
  httpTransport,
  loadKubeConfig,
  observed,
  type RequestHappenings,
  type WatchHappenings,
} from '../src/kube/index.ts'
import { openPool } from '../src/store/index.ts'

/*
 * The apps worker as a program, configured as `caelus run-worker-loop` is, for the harness: one line when it works, then one
 * for every run that starts or ends, with the time and the number of API calls made so far, watches and leases aside.
 */
const config = readConfig(process.env)
const databaseUrl = config.databaseUrl?.reveal() ?? ''
const kubeconfig = config.kubeconfig ?? ''
const told = happenings<KernelHappenings & WatchHappenings & AppsHappenings & RequestHappenings>()
const connection = httpTransport(await loadKubeConfig({ path: kubeconfig }))
const transport = { ...observed(connection, told), close: () => connection.close() }
const pool = openPool({ url: databaseUrl, applicationName: 'bench', role: 'caelus_api' })
const room = openAppsRoom({ config, databaseUrl, pool, valuesKey: undefined, localCharts: true })
const helm = config.helmBin ?? 'helm'
const cluster = await openAppsCluster({ config, env: process.env, databaseUrl, room, transport, kubeconfig, helm })

let calls = 0
const tell = (what: string, id: string): void =>
  console.log(`${what} ${id} ${performance.timeOrigin + performance.now()} ${calls}`)
told.on('kube:request', ({ verb, resource }) => {
  if (verb !== 'watch' && !resource.includes('leases')) calls++
})
told.on('reconcile:start', ({ key }) => tell('start', key.id))
told.on('reconcile:end', ({ key, failure }) => {
  if (failure) console.error(key.id, failure.code, failure.message)
  tell('end', key.id)
})

const stop = await startAll(
  appsWorkerServices({
    config,
    databaseUrl,
    cluster,
    happenings: told,
    decisions: decisionLog(),
    onError: (error, what) => console.error(what, error),
  }),
)
tell('working', '-')
process.once('SIGTERM', () => {
  void stop()
    .then(() => cluster.close())
    .then(() => room.close())
    .then(() => pool.end())
    .then(() => transport.close())
})
