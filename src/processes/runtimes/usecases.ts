import { tellRuntimesChanges, type Events, type StatusBoard } from '../../api/index.ts'
import type { Config } from '../../config/index.ts'
import { emailsOf } from '../../domains/apps/store/index.ts'
import {
  chronicle,
  openLook,
  openRuntimes,
  type Runtimes,
  type RuntimesCluster,
} from '../../domains/runtimes/usecases/index.ts'
import type { ClassRuntime } from '../../domains/runtimes/index.ts'
import { systemClock, type Happenings, type Service } from '../../kernel/index.ts'
import { makeClient, type HttpTransport, type WatchHappenings } from '../../kube/index.ts'
import { runtimesReport } from './report.ts'
import { runtimesSettings } from './settings.ts'
import { asUser, type Pool } from '../../store/index.ts'

export interface RuntimesRoomOptions {
  readonly config: Config
  readonly pool: Pool
  readonly events: Events
  readonly board: StatusBoard
  readonly happenings: Happenings<WatchHappenings>
  /** Throws what is to be said where there is no cluster, or not yet. */
  readonly noCluster: () => never
}

/** The use cases of runtimes in a process that serves the API. */
export interface RuntimesRoom {
  readonly runtimes: Runtimes
  /** Those of the cluster, as far as it is seen. */
  readonly list: () => readonly ClassRuntime[]
  /** From now on the API sees this cluster. Answers with what is to be started for it. */
  see(transport: HttpTransport): readonly Service[]
}

/** Somebody waits for the answer: an API server that is away is told about sooner than a controller would give up. */
const PATIENCE_MS = 10_000

export function openRuntimesRoom(options: RuntimesRoomOptions): RuntimesRoom {
  const { config, pool, events, board, happenings, noCluster } = options
  const settings = runtimesSettings(config)
  let cluster: RuntimesCluster | undefined
  const seen = (): RuntimesCluster => cluster ?? noCluster()
  return {
    runtimes: openRuntimes({
      pool,
      clock: systemClock,
      settings,
      cluster: seen,
      emailsOf: (ids) => asUser(pool, { admin: true }, (tx) => emailsOf(tx, ids)),
    }),
    list: () => seen().look.list(),
    see(transport) {
      const impatient: HttpTransport = {
        ...transport,
        send: (request) => transport.send({ timeoutMs: PATIENCE_MS, ...request }),
      }
      const look = openLook({ transport: impatient, nfr: settings.nfr, happenings })
      const book = chronicle(look, systemClock)
      cluster = { client: makeClient(impatient, { fieldManager: 'caelus' }), look, chronicle: book }
      tellRuntimesChanges(look, events)
      return [book.service, runtimesReport(look, board), look.service]
    },
  }
}
