import type { Config } from '../../config/index.ts'
import {
  defaultQueries,
  prometheus,
  runtimesController,
  type MetricQueries,
  type PrometheusSource,
  type RuntimesController,
  type RuntimesControllerEvents,
} from '../../domains/runtimes/index.ts'
import { service, systemClock, type DecisionLog, type Emitter, type Service } from '../../kernel/index.ts'
import { kubeLocks, makeClient, type HttpTransport } from '../../kube/index.ts'
import { LOCK_NAMESPACE, lockNamespaceService, instanceName } from '../apps/control-plane.ts'
import { runtimesSettings } from './settings.ts'
import { aborted } from '../shared/stop-signal.ts'
import { decisionStore, openPool } from '../../store/index.ts'

export interface RuntimesControllersOptions {
  readonly config: Config
  readonly transport: HttpTransport
  readonly emitter: Emitter<RuntimesControllerEvents>
  readonly decisions: DecisionLog
  readonly concurrency?: number
}

export interface RuntimesControllers extends Pick<RuntimesController, 'caches' | 'election'> {
  /** To be started in this order. */
  readonly services: readonly Service[]
}

const LEASE = 'caelus-runtimes'

/** The controller of class runtimes and what it needs in the control plane. One of all processes leads, the others stand by. */
export function runtimesControllers(options: RuntimesControllersOptions): RuntimesControllers {
  const { config, transport, emitter, decisions } = options
  const client = makeClient(transport, { fieldManager: 'caelus' })
  const source = sourceOf(config)
  const { caches, election, services } = runtimesController({
    transport,
    settings: runtimesSettings(config),
    clock: systemClock,
    random: Math.random,
    instance: config.runtimesIdentity ?? instanceName(),
    locks: kubeLocks({ client, namespace: LOCK_NAMESPACE }),
    leader: { lease: { namespace: config.runtimesLeaseNamespace, name: LEASE } },
    emitter,
    decisions,
    concurrency: options.concurrency ?? config.concurrency,
    stopGraceMs: config.shutdownGrace,
    ...(config.runtimesNamespaces !== undefined && { namespaces: config.runtimesNamespaces }),
    ...(source && {
      analyzer: { source, intervalMs: config.runtimesPrometheusInterval, queries: queriesOf(config) },
    }),
  })
  const closing = source === undefined ? [] : [closingService(source)]
  return {
    services: [lockNamespaceService({ client, clock: systemClock }), ...closing, ...services],
    caches,
    ...(election && { election }),
  }
}

const sourceOf = ({ runtimesPrometheusUrl: url, runtimesPrometheusTimeout: timeoutMs }: Config) =>
  url === undefined ? undefined : prometheus({ url, timeoutMs })

function queriesOf(config: Config): MetricQueries {
  const standard = defaultQueries(`${Math.round(config.runtimesPrometheusRange / 1000)}s`)
  return {
    rps: config.runtimesQueryRps ?? standard.rps,
    p99Ms: config.runtimesQueryP99 ?? standard.p99Ms,
    cpuMillicores: config.runtimesQueryCpu ?? standard.cpuMillicores,
    memoryBytes: config.runtimesQueryMemory ?? standard.memoryBytes,
  }
}

/** Stopped after all that was started after it. */
const closingService = (source: PrometheusSource): Service =>
  service('prometheus', async (signal, ready) => {
    ready()
    await aborted(signal)
    await source.close()
  })

/** Writes decisions to the database, for timelines and replay. */
export const keptDecisions = (
  databaseUrl: string,
  decisions: DecisionLog,
  onError: (error: unknown) => void,
): Service =>
  service('runtimes decisions', async (signal, ready) => {
    const pool = openPool({ url: databaseUrl, applicationName: 'caelus controllers', role: 'caelus_worker', max: 2 })
    const keep = decisionStore({ pool, onDropped: (_, error) => onError(error) })
    const stop = decisions.onAdd((record) => {
      if (record.controller === 'runtimes') keep(record)
    })
    ready()
    await aborted(signal)
    stop()
    await pool.end()
  })
