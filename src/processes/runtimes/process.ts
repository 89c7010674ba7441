import { runtimesRoutes } from '../../api/routes/runtimes/index.ts'
import { RUNTIMES } from '../../config/runtimes.ts'
import { ClassRuntime, decisionText, replays } from '../../domains/runtimes/index.ts'
import type { ApiHost, ControllersHost, DomainControllers, DomainProcess, ServedDomain } from '../domain.ts'
import { systemClock } from '../../kernel/index.ts'
import type { HttpTransport } from '../../kube/index.ts'
import type { Logger } from '../../telemetry/index.ts'
import { runtimesControllers } from './controllers.ts'
import { HOW_TO_INSTALL, isRuntimeServed } from './definition.ts'
import { runtimesEvents } from './events.ts'
import { logRuntimes } from './log.ts'
import { runtimesMetrics } from './metrics.ts'
import { runtimesSettings } from './settings.ts'
import { upRuntimes } from './up.ts'
import { openRuntimesUseCases } from './usecases.ts'

export function runtimesProcess(): DomainProcess {
  /** The class runtimes that this process knows, for the gauges. */
  let list = (): readonly ClassRuntime[] => []

  const serve = (host: ApiHost): ServedDomain => {
    const { config, pool, events, board, noControlPlane } = host
    const emitter = runtimesEvents(host.emitter)
    const useCases = openRuntimesUseCases({ config, pool, events, board, emitter, noControlPlane })
    list = useCases.list
    const { nfr } = runtimesSettings(config.of(RUNTIMES))
    return {
      routes: runtimesRoutes({ runtimes: useCases.runtimes, nfr, clock: systemClock }),
      connect: async ({ transport }) => useCases.see(transport),
      up: (here) => upRuntimes(host, here, useCases),
    }
  }

  const controllers = (host: ControllersHost): DomainControllers => {
    const { caches, election, services } = runtimesControllers({ ...host, emitter: runtimesEvents(host.emitter) })
    list = () => caches.runtimes.list()
    void warnIfNotServed(host.transport, host.log)
    let isSynced = false
    void caches.runtimes.synced.then(() => (isSynced = true))
    const probe = async (): Promise<string> => {
      if (!isSynced) throw new Error('the class runtimes have not been listed yet')
      return `${caches.runtimes.size} runtimes, ${election?.leading === true ? 'leading' : 'standing by'}`
    }
    return { services, check: { name: 'runtimes', required: true, probe } }
  }

  return {
    crds: [ClassRuntime],
    inWords: { ClassRuntime: decisionText },
    replays,
    localDefaults: async ({ isLocal }) => (isLocal ? NO_AUTOSCALERS : {}),
    log: (emitter, log) => logRuntimes(runtimesEvents(emitter), log),
    metrics: (registry, emitter) => void runtimesMetrics(registry, runtimesEvents(emitter), () => list()),
    tag: 'Class runtimes: functions as Deployments, Services, Knative services and autoscalers.',
    describe: (inert) => runtimesRoutes({ runtimes: inert('runtimes'), nfr: inert('nfr'), clock: systemClock }),
    serve,
    controllers,
  }
}

/** The local control plane has no metrics server, so HorizontalPodAutoscalers could not work. */
const NO_AUTOSCALERS = { CAELUS_RUNTIMES_HPA: 'false' }

/** The controllers wait for the CRD; this process has no right to install it. */
async function warnIfNotServed(transport: HttpTransport, log: Logger): Promise<void> {
  if (await isRuntimeServed(transport)) return
  log.warn({ nextStep: HOW_TO_INSTALL }, 'The ClassRuntime CRD is not installed')
}
