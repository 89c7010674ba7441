import type { Config } from '../config.ts'
import {
  runtimesController,
  type RuntimesController,
  type RuntimesControllerHappenings,
} from '../domains/runtimes/index.ts'
import { service, systemClock, type DecisionLog, type Happenings, type Service } from '../kernel/index.ts'
import { kubeLocks, makeClient, type HttpTransport } from '../kube/index.ts'
import { HOME, homeService, instanceName } from './apps-cluster.ts'
import { runtimesSettings } from './runtimes-settings.ts'
import { aborted } from './stop-signal.ts'
import { decisionStore, openPool } from '../store/index.ts'

export interface RuntimesControllersOptions {
  readonly config: Config
  readonly transport: HttpTransport
  readonly happenings: Happenings<RuntimesControllerHappenings>
  readonly decisions: DecisionLog
  readonly concurrency?: number
}

export interface RuntimesControllers extends Pick<RuntimesController, 'caches' | 'election'> {
  /** To be started in this order. */
  readonly services: readonly Service[]
}

const LEASE = 'caelus-runtimes'

/** The controller of class runtimes and what it needs in the cluster. One of all processes leads, the others stand by. */
export function runtimesControllers(options: RuntimesControllersOptions): RuntimesControllers {
  const { config, transport, happenings, decisions } = options
  const client = makeClient(transport, { fieldManager: 'caelus' })
  const { caches, election, services } = runtimesController({
    transport,
    settings: runtimesSettings(config),
    clock: systemClock,
    random: Math.random,
    instance: config.runtimesIdentity ?? instanceName(),
    locks: kubeLocks({ client, namespace: HOME }),
    leader: { lease: { namespace: config.runtimesLeaseNamespace, name: LEASE } },
    happenings,
    decisions,
    concurrency: options.concurrency ?? config.concurrency,
    stopGraceMs: config.shutdownGrace,
    ...(config.runtimesNamespace !== undefined && { namespace: config.runtimesNamespace }),
  })
  return {
    services: [homeService({ client, clock: systemClock }), ...services],
    caches,
    ...(election && { election }),
  }
}

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
