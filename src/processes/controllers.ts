import { readiness } from '../api/index.ts'
import type { ControllersOptions } from '../cli/index.ts'
import { secretValues, type Config } from '../config/index.ts'
import type { RuntimesControllerEvents } from '../domains/runtimes/index.ts'
import { decisionLog, createEmitter, messageOf, startAll, systemClock, type Service } from '../kernel/index.ts'
import { httpTransport, loadKubeConfig, type HttpTransport } from '../kube/index.ts'
import { probes } from './shared/probes.ts'
import { tracingServices } from './api.ts'
import { neededKubeconfig } from './worker.ts'
import { keptDecisions, runtimesControllers } from './runtimes/controllers.ts'
import { isRuntimeServed, HOW_TO_INSTALL } from './runtimes/definition.ts'
import { logRuntimes } from './runtimes/log.ts'
import { runtimesMetrics } from './runtimes/metrics.ts'
import { aborted, stopSignal } from './shared/stop-signal.ts'
import { logKernel, makeLogger, makeMetrics, scrubber, traceKernel, type Logger } from '../telemetry/index.ts'
import { VERSION } from '../version.ts'
import { watchMetrics } from './shared/watch-metrics.ts'

type Env = Readonly<Record<string, string | undefined>>

/** `caelus run-controllers`: those of the custom resources, on somebody else's control plane, until a signal comes. */
export async function runControllers(
  config: Config,
  env: Env,
  { concurrency }: ControllersOptions = {},
): Promise<void> {
  const kubeconfig = neededKubeconfig(config)
  const databaseUrl = config.databaseUrl?.reveal()
  const scrub = scrubber(secretValues(config))
  const log = makeLogger({
    level: config.logLevel,
    format: config.logFormat === 'auto' ? (process.stderr.isTTY ? 'pretty' : 'json') : config.logFormat,
    scrub,
  })
  const metrics = makeMetrics(VERSION)
  const told = createEmitter<RuntimesControllerEvents>((error) => log.error({ error }, 'Listener failed'))
  const decisions = decisionLog()
  logKernel(told, log)
  logRuntimes(told, log)
  metrics.listenTo(told)
  watchMetrics(metrics, told)
  traceKernel(told)

  const transport = httpTransport(await loadKubeConfig({ path: kubeconfig, env }))
  const { services, caches, election } = runtimesControllers({
    config,
    transport,
    emitter: told,
    decisions,
    ...(concurrency !== undefined && { concurrency }),
  })
  runtimesMetrics(metrics.registry, told, () => caches.runtimes.list())
  const synced = { runtimes: false }
  void caches.runtimes.synced.then(() => (synced.runtimes = true))
  const ready = readiness(
    () => [
      {
        name: 'runtimes',
        required: true,
        probe: async () => {
          if (!synced.runtimes) throw new Error('the class runtimes have not been listed yet')
          return `${caches.runtimes.size} runtimes, ${election?.leading === true ? 'leading' : 'standing by'}`
        },
      },
    ],
    systemClock,
    scrub,
  )
  const doors = probes(config, ready, metrics)
  const all: Service[] = [
    ...tracingServices(config),
    doors.service,
    ...(databaseUrl === undefined
      ? []
      : [
          keptDecisions(databaseUrl, decisions, (error) =>
            log.warn({ failure: messageOf(error) }, 'Decision not kept'),
          ),
        ]),
    ...services,
  ]
  const signal = stopSignal(() => log.info('Stopping'))
  void sayIfUnknown(transport, log)
  const starting = startAll(all)
  try {
    const stop = await Promise.race([starting, aborted(signal)])
    if (stop === undefined) return
    log.info({ version: VERSION, probes: doors.url() }, 'Controlling')
    await Promise.race([aborted(signal), ...all.map(({ done }) => done)])
  } finally {
    for (const one of all.toReversed()) await one.stop()
    await starting.catch(() => {})
    await transport.close()
  }
}

/** They are waited for, and installed only by whoever owns the control plane. */
async function sayIfUnknown(transport: HttpTransport, log: Logger): Promise<void> {
  if (await isRuntimeServed(transport)) return
  log.warn({ nextStep: HOW_TO_INSTALL }, 'the ClassRuntime CRD is not installed yet')
}
