import { readiness, type Readiness } from '../api/index.ts'
import type { ControllersOptions } from '../cli/index.ts'
import { secretValues, type Config } from '../config/index.ts'
import type { RuntimesControllerEvents } from '../domains/runtimes/index.ts'
import { atEnd, createEmitter, decisionLog, systemClock, type DecisionLog, type Service } from '../kernel/index.ts'
import type { HttpTransport, RequestEvents } from '../kube/index.ts'
import { runUntilStopped } from './run.ts'
import { connectKubernetes } from './shared/connect.ts'
import { neededKubeconfig, type Env } from './shared/environment.ts'
import { kubeMetrics } from './shared/kube-metrics.ts'
import { probes } from './shared/probes.ts'
import { retentionServices } from './shared/retention.ts'
import { runtimesControllers, type RuntimesControllers } from './runtimes/controllers.ts'
import { isRuntimeServed, HOW_TO_INSTALL } from './runtimes/definition.ts'
import { logRuntimes } from './runtimes/log.ts'
import { runtimesMetrics } from './runtimes/metrics.ts'
import { openLog, tracingServices } from './shared/telemetry.ts'
import { keepDecisions, openPool } from '../store/index.ts'
import { failureLog, logKernel, makeMetrics, scrubber, traceKernel, type Logger } from '../telemetry/index.ts'
import { VERSION } from '../version.ts'
import { logWatches } from './shared/watch-log.ts'
import { watchMetrics } from './shared/watch-metrics.ts'

type OnError = (error: unknown, what: string) => void

/**
 * `caelus run-controllers`: runs the controllers of custom resources on an external control plane until a
 * stop signal.
 */
export async function runControllers(
  config: Config,
  env: Env,
  { concurrency }: ControllersOptions = {},
): Promise<void> {
  const kubeconfig = neededKubeconfig(config)
  const scrub = scrubber(secretValues(config))
  const log = openLog(config, scrub)
  const failures = failureLog(log)
  const metrics = makeMetrics(VERSION)
  const emitter = createEmitter<RuntimesControllerEvents & RequestEvents>((error) =>
    log.error({ error }, 'Listener failed'),
  )
  const decisions = decisionLog()
  const onError: OnError = (error, what) => failures.failed(what, error)
  logKernel(emitter, log, failures)
  logWatches(emitter, log, failures)
  logRuntimes(emitter, log)
  metrics.listenTo(emitter)
  watchMetrics(metrics, emitter)
  kubeMetrics(metrics.registry, emitter)
  traceKernel(emitter)

  const transport = await connectKubernetes({ kubeconfig, env, emitter })
  const runtimes = runtimesControllers({
    config,
    transport,
    emitter,
    decisions,
    onError,
    ...(concurrency !== undefined && { concurrency }),
  })
  runtimesMetrics(metrics.registry, emitter, () => runtimes.caches.runtimes.list())
  const probing = probes(config, readinessOf(runtimes, scrub), metrics)
  void warnIfNotServed(transport, log)
  const services = [
    atEnd('control plane connections', () => transport.close()),
    ...tracingServices(config),
    probing.service,
    ...databaseServices(config, decisions, onError),
    ...runtimes.services,
  ]
  await runUntilStopped(services, {
    log,
    graceMs: config.shutdownGrace,
    onStarted: () => log.info({ version: VERSION, probes: probing.url() }, 'Controlling'),
    lastFailure: () => failures.last(),
  })
}

function readinessOf({ caches, election }: RuntimesControllers, scrub: (text: string) => string): Readiness {
  let isSynced = false
  void caches.runtimes.synced.then(() => (isSynced = true))
  const check = {
    name: 'runtimes',
    required: true,
    probe: async () => {
      if (!isSynced) throw new Error('the class runtimes have not been listed yet')
      return `${caches.runtimes.size} runtimes, ${election?.leading === true ? 'leading' : 'standing by'}`
    },
  }
  return readiness(() => [check], systemClock, scrub)
}

/** A database is optional: with one, decisions are kept and old rows are deleted. */
function databaseServices(config: Config, decisions: DecisionLog, onError: OnError): Service[] {
  const url = config.databaseUrl?.reveal()
  if (url === undefined) return []
  const pool = openPool({ url, applicationName: 'caelus controllers', role: 'caelus_worker', max: 2 })
  const notKept = (error: unknown): void => onError(error, 'Decision not kept')
  return [
    atEnd('database connections', () => pool.end()),
    keepDecisions({ pool, decisions, controller: 'runtimes', onError: notKept }),
    ...retentionServices(config, url, (error) => onError(error, 'Old rows not deleted')),
  ]
}

/** The controllers wait for the CRD; this process has no right to install it. */
async function warnIfNotServed(transport: HttpTransport, log: Logger): Promise<void> {
  if (await isRuntimeServed(transport)) return
  log.warn({ nextStep: HOW_TO_INSTALL }, 'The ClassRuntime CRD is not installed')
}
