import type { Check } from '../../api/index.ts'
import type { ClusterWorkerOptions } from '../../cli/commands/clusters/index.ts'
import { CLUSTER_WORKER, type ClusterWorkerConfig } from '../../config/clusters.ts'
import { SERVER, TELEMETRY, type Config, type Env, type Telemetry } from '../../config/index.ts'
import { CLUSTERS_QUEUE } from '../../domains/clusters/index.ts'
import type { Listener } from '../../store/index.ts'
import { neededDatabaseUrl, secretsIn } from '../shared/environment.ts'
import { openHost } from '../shared/host.ts'
import { runWorkerLoop } from '../shared/worker-loop.ts'
import { workerFigures } from './figures.ts'
import { gardenerCheck } from './gardener-check.ts'
import { openConfigured } from './gardener.ts'
import { clustersProcess } from './process.ts'
import { openClustersWorker } from './worker.ts'

/** `caelus run-cluster-worker`: on an external database and garden, until a stop signal. */
export async function runClusterWorker(config: Config, env: Env, options: ClusterWorkerOptions): Promise<void> {
  const databaseUrl = neededDatabaseUrl(config)
  const own = config.of(CLUSTER_WORKER)
  const process = clustersProcess()
  const host = openHost({
    config,
    env,
    domains: [process],
    secrets: secretsIn(databaseUrl),
    logLevel: logLevelOf(config, own),
  })
  let hints: Pick<Listener, 'isListening'> | undefined
  await runWorkerLoop({
    host,
    databaseUrl,
    queue: CLUSTERS_QUEUE,
    address: {
      host: config.of(SERVER).host,
      port: own.healthPort,
      setting: 'HEALTH_PORT',
      orAnyPort: !config.isSet(CLUSTER_WORKER.variables.healthPort),
    },
    graceMs: own.shutdownTimeout,
    async connect() {
      const opened = await openConfigured(host)
      return {
        checks: [listensCheck(() => hints?.isListening === true), gardenerCheck(opened.gardener)],
        async open() {
          const { concurrency } = options
          const worker = openClustersWorker({ host, databaseUrl, opened, own, concurrency })
          hints = worker.hints
          process.measure(workerFigures(worker.pool))
          return { services: worker.services, close: async () => {} }
        },
        close: () => opened.close(),
      }
    },
  })
}

/** LOG_LEVEL where it is set, and that of all processes where only that is. */
const logLevelOf = (config: Config, { logLevel }: ClusterWorkerConfig): Telemetry['logLevel'] =>
  !config.isSet(CLUSTER_WORKER.variables.logLevel) && config.isSet(TELEMETRY.variables.logLevel)
    ? config.of(TELEMETRY).logLevel
    : logLevel

/** Required: without it changes are found by polling alone. */
const listensCheck = (isListening: () => boolean): Check => ({
  name: 'notifications',
  required: true,
  async probe() {
    if (!isListening()) throw new Error('the connection that receives notifications is not up')
    return 'received'
  },
})
