import { type Events, type StatusBoard } from '../../api/index.ts'
import { tellRuntimesChanges } from '../../api/routes/runtimes/index.ts'
import { RUNTIMES } from '../../config/runtimes.ts'
import type { Config } from '../../config/index.ts'
import { userDirectory } from '../../identity/index.ts'
import {
  runtimeHistory,
  openRuntimesView,
  openRuntimes,
  type Runtimes,
  type RuntimesControlPlane,
} from '../../domains/runtimes/usecases/index.ts'
import type { ClassRuntime } from '../../domains/runtimes/index.ts'
import { systemClock, type Emitter, type Service } from '../../kernel/index.ts'
import { makeClient, type HttpTransport, type WatchEvents } from '../../kube/index.ts'
import type { DomainReport } from '../shared/domain-report.ts'
import { runtimesReport } from './report.ts'
import { runtimesSettings } from './settings.ts'
import { asUser, type Pool } from '../../store/index.ts'

export interface RuntimesUseCasesOptions {
  readonly config: Config
  readonly pool: Pool
  readonly events: Events
  readonly board: StatusBoard
  readonly emitter: Emitter<WatchEvents>
  /** Throws the failure for requests that need a control plane while there is none. */
  readonly noControlPlane: () => never
}

/** The use cases of runtimes in a process that serves the API. */
export interface RuntimesUseCases {
  readonly runtimes: Runtimes
  /** The class runtimes in the cache. */
  readonly list: () => readonly ClassRuntime[]
  /** Connects the API to a control plane. Returns the services to start for it. */
  see(transport: HttpTransport): readonly Service[]
  /** Counts now, and resolves when the status board shows the result. */
  refreshReport(): Promise<void>
}

/** Shorter than a controller's timeout, because a person waits for the response. */
const PATIENCE_MS = 10_000

export function openRuntimesUseCases(options: RuntimesUseCasesOptions): RuntimesUseCases {
  const { config, pool, events, board, emitter, noControlPlane } = options
  const settings = runtimesSettings(config.of(RUNTIMES))
  let controlPlane: RuntimesControlPlane | undefined
  let report: DomainReport | undefined
  const seen = (): RuntimesControlPlane => controlPlane ?? noControlPlane()
  return {
    runtimes: openRuntimes({
      pool,
      clock: systemClock,
      settings,
      controlPlane: seen,
      emailsOf: (actor, ids) => asUser(pool, actor, (tx) => userDirectory.emailsOf(tx, ids)),
    }),
    list: () => seen().look.list(),
    see(transport) {
      const impatient: HttpTransport = {
        ...transport,
        send: (request) => transport.send({ timeoutMs: PATIENCE_MS, ...request }),
      }
      const look = openRuntimesView({ transport: impatient, nfr: settings.nfr, emitter })
      const history = runtimeHistory(look, systemClock)
      controlPlane = { client: makeClient(impatient, { fieldManager: 'caelus' }), look, runtimeHistory: history }
      tellRuntimesChanges(look, events)
      report = runtimesReport(look, board)
      return [history.service, report.service, look.service]
    },
    refreshReport: async () => await report?.refresh(),
  }
}
