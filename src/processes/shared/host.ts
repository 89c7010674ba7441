import { secretValues, TELEMETRY, type Config, type Env, type Telemetry } from '../../config/index.ts'
import type { DomainProcess, ProcessEvents, ProcessHost } from '../domain.ts'
import { createEmitter, decisionLog } from '../../kernel/index.ts'
import {
  failureLog,
  logKernel,
  makeMetrics,
  scrubber,
  traceKernel,
  type FailureLog,
  type Metrics,
  type Scrub,
} from '../../telemetry/index.ts'
import { VERSION } from '../../version.ts'
import { logConnections } from './connection-log.ts'
import { logElections } from './election-log.ts'
import { kubeMetrics } from './kube-metrics.ts'
import { openLog } from './telemetry.ts'
import { logWatches } from './watch-log.ts'
import { watchMetrics } from './watch-metrics.ts'

export interface HostOptions {
  readonly config: Config
  readonly env: Env
  /** Those that take part in the process. */
  readonly domains: readonly DomainProcess[]
  /** Further texts to mask, such as the password of the embedded database. */
  readonly secrets?: readonly string[]
  /** @default as CAELUS_LOG_LEVEL says */
  readonly logLevel?: Telemetry['logLevel']
  /** @default standard error */
  readonly logTo?: { write(line: string): unknown }
}

export interface Host extends ProcessHost {
  readonly scrub: Scrub
  readonly failures: FailureLog
  readonly metrics: Metrics
}

/** Opens the log, the metrics and the emitter of a process, and connects the events of its domains to them. */
export function openHost({ config, env, domains, secrets = [], logLevel, logTo }: HostOptions): Host {
  const scrub = scrubber([...secretValues(config), ...secrets])
  const log = openLog({ ...config.of(TELEMETRY), ...(logLevel && { logLevel }) }, scrub, logTo)
  const failures = failureLog(log)
  const metrics = makeMetrics(VERSION)
  const emitter = createEmitter<ProcessEvents>((error) => log.error({ error }, 'Listener failed'))
  logKernel(emitter, log, failures)
  logWatches(emitter, log, failures)
  logConnections(emitter, log, failures)
  logElections(emitter, log)
  metrics.listenTo(emitter)
  watchMetrics(metrics, emitter)
  kubeMetrics(metrics.registry, emitter)
  traceKernel(emitter)
  for (const domain of domains) {
    domain.log?.(emitter, log, failures)
    domain.metrics?.(metrics.registry, emitter)
  }
  const onError = (error: unknown, what: string): void => failures.failed(what, error)
  return { config, env, scrub, log, failures, metrics, emitter, decisions: decisionLog(), onError }
}
