import type { Config } from '../../config/index.ts'
import {
  defaultQueries,
  prometheus,
  runtimesController,
  type MetricQueries,
  type RuntimesController,
  type RuntimesControllerEvents,
} from '../../domains/runtimes/index.ts'
import { atEnd, systemClock, type DecisionLog, type Emitter, type Service } from '../../kernel/index.ts'
import { kubeLocks, makeClient, type HttpTransport } from '../../kube/index.ts'
import { instanceName } from '../shared/instance.ts'
import { LOCK_NAMESPACE, lockNamespaceService } from '../shared/lock-namespace.ts'
import { runtimesSettings } from './settings.ts'

export interface RuntimesControllersOptions {
  readonly config: Config
  readonly transport: HttpTransport
  readonly emitter: Emitter<RuntimesControllerEvents>
  readonly decisions: DecisionLog
  readonly onError: (error: unknown, what: string) => void
  readonly concurrency?: number
}

export interface RuntimesControllers extends Pick<RuntimesController, 'caches' | 'election'> {
  /** To be started in this order. */
  readonly services: readonly Service[]
}

const LEASE = 'caelus-runtimes'

/**
 * The controller of class runtimes and what it needs in the control plane. One process leads, the others
 * stand by.
 */
export function runtimesControllers(options: RuntimesControllersOptions): RuntimesControllers {
  const { config, transport, emitter, decisions, onError } = options
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
  const closing = source === undefined ? [] : [atEnd('prometheus', () => source.close())]
  const locks = lockNamespaceService({
    client,
    clock: systemClock,
    onError: (error) => onError(error, 'Namespace of locks not created'),
  })
  return {
    services: [locks, ...closing, ...services],
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
