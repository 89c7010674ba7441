import { tellRuntimesChanges, type Events, type StatusBoard } from '../../api/index.ts'
import type { Config } from '../../config/index.ts'
import { emailsOf } from '../../domains/apps/store/index.ts'
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
import { runtimesReport } from './report.ts'
import { runtimesSettings } from './settings.ts'
import { asUser, type Pool } from '../../store/index.ts'

export interface RuntimesUseCasesOptions {
  readonly config: Config
  readonly pool: Pool
  readonly events: Events
  readonly board: StatusBoard
  readonly emitter: Emitter<WatchEvents>
  /** Throws what is to be said where there is no control plane, or not yet. */
  readonly noControlPlane: () => never
}

/** The use cases of runtimes in a process that serves the API. */
export interface RuntimesUseCases {
  readonly runtimes: Runtimes
  /** Those of the control plane, as far as it is seen. */
  readonly list: () => readonly ClassRuntime[]
  /** From now on the API sees this control plane. Answers with what is to be started for it. */
  see(transport: HttpTransport): readonly Service[]
}

/** Somebody waits for the answer: an API server that is away is told about sooner than a controller would give up. */
const PATIENCE_MS = 10_000

export function openRuntimesUseCases(options: RuntimesUseCasesOptions): RuntimesUseCases {
  const { config, pool, events, board, emitter, noControlPlane } = options
  const settings = runtimesSettings(config)
  let controlPlane: RuntimesControlPlane | undefined
  const seen = (): RuntimesControlPlane => controlPlane ?? noControlPlane()
  return {
    runtimes: openRuntimes({
      pool,
      clock: systemClock,
      settings,
      controlPlane: seen,
      emailsOf: (ids) => asUser(pool, { admin: true }, (tx) => emailsOf(tx, ids)),
    }),
    list: () => seen().look.list(),
    see(transport) {
      const impatient: HttpTransport = {
        ...transport,
        send: (request) => transport.send({ timeoutMs: PATIENCE_MS, ...request }),
      }
      const look = openRuntimesView({ transport: impatient, nfr: settings.nfr, emitter })
      const book = runtimeHistory(look, systemClock)
      controlPlane = { client: makeClient(impatient, { fieldManager: 'caelus' }), look, runtimeHistory: book }
      tellRuntimesChanges(look, events)
      return [book.service, runtimesReport(look, board), look.service]
    },
  }
}
