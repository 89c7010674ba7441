import { RUNTIMES, type RuntimesConfig } from '../../config/runtimes.ts'
import { SERVER, WORKERS, type Config } from '../../config/index.ts'
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
  readonly concurrency: number
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
  const own = config.of(RUNTIMES)
  const source = sourceOf(own)
  const { caches, election, services } = runtimesController({
    transport,
    settings: runtimesSettings(own),
    clock: systemClock,
    random: Math.random,
    instance: own.identity ?? instanceName(),
    locks: kubeLocks({ client, namespace: LOCK_NAMESPACE }),
    leader: { lease: { namespace: own.leaseNamespace, name: LEASE } },
    emitter,
    decisions,
    concurrency: options.concurrency,
    stopGraceMs: config.of(SERVER).shutdownGrace,
    timeoutMs: config.of(WORKERS).reconcileTimeout,
    ...(own.namespaces !== undefined && { namespaces: own.namespaces }),
    ...(source && {
      analyzer: { source, intervalMs: own.prometheusInterval, queries: queriesOf(own) },
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

const sourceOf = ({ prometheusUrl: url, prometheusTimeout: timeoutMs }: RuntimesConfig) =>
  url === undefined ? undefined : prometheus({ url, timeoutMs })

function queriesOf(own: RuntimesConfig): MetricQueries {
  const standard = defaultQueries(`${Math.round(own.prometheusRange / 1000)}s`)
  return {
    rps: own.queryRps ?? standard.rps,
    p99Ms: own.queryP99 ?? standard.p99Ms,
    cpuMillicores: own.queryCpu ?? standard.cpuMillicores,
    memoryBytes: own.queryMemory ?? standard.memoryBytes,
  }
}
