import { openAppsControlPlane } from '../src/processes/apps/control-plane.ts'
import { openAppsUseCases } from '../src/processes/apps/usecases.ts'
import { appsWorkerServices } from '../src/processes/apps/worker.ts'
import { APPS } from '../src/config/apps.ts'
import { INSTALLATION, OF_PROCESSES, readConfig } from '../src/config/index.ts'
import type { AppsEvents } from '../src/domains/apps/index.ts'
import { decisionLog, createEmitter, startAll, type KernelEvents } from '../src/kernel/index.ts'
import { httpTransport, loadKubeConfig, observed, type RequestEvents, type WatchEvents } from '../src/kube/index.ts'
import { openPool } from '../src/store/index.ts'

/*
 * The apps worker as a program, configured as `caelus run-worker-loop` is, for the harness: one line when it works, then one
 * for every run that starts or ends, with the time and the number of API calls made so far, watches and leases aside.
 */
const config = readConfig(process.env, { sections: [...OF_PROCESSES, APPS] })
const installation = config.of(INSTALLATION)
const databaseUrl = installation.databaseUrl?.reveal() ?? ''
const kubeconfig = installation.kubeconfig ?? ''
const told = createEmitter<KernelEvents & WatchEvents & AppsEvents & RequestEvents>()
const connection = httpTransport(await loadKubeConfig({ path: kubeconfig }))
const transport = { ...observed(connection, told), close: () => connection.close() }
const pool = openPool({ url: databaseUrl, applicationName: 'bench', role: 'caelus_api' })
const useCases = openAppsUseCases({ config, databaseUrl, pool })
const helm = config.of(APPS).helmBin ?? 'helm'
const controlPlane = await openAppsControlPlane({
  config,
  env: process.env,
  databaseUrl,
  role: 'caelus_worker',
  useCases,
  transport,
  kubeconfig,
  helm,
})

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
    controlPlane,
    emitter: told,
    decisions: decisionLog(),
    onError: (error, what) => console.error(what, error),
  }),
)
tell('working', '-')
process.once('SIGTERM', () => {
  void stop()
    .then(() => controlPlane.close())
    .then(() => useCases.close())
    .then(() => pool.end())
    .then(() => transport.close())
})
