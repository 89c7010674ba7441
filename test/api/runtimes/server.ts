import { statusBoard } from '../../../src/api/index.ts'
import { runtimesRoutes } from '../../../src/api/routes/runtimes/index.ts'
import { RUNTIMES } from '../../../src/config/runtimes.ts'
import { readConfig } from '../../../src/config/index.ts'
import { createEmitter, startAll, systemClock } from '../../../src/kernel/index.ts'
import type { HttpTransport, WatchEvents } from '../../../src/kube/index.ts'
import { openRuntimesUseCases, type RuntimesUseCases } from '../../../src/processes/runtimes/usecases.ts'
import { runtimesSettings } from '../../../src/processes/runtimes/settings.ts'
import { testTransport } from '../../support/kube.ts'
import type { WorldOptions } from '../world.ts'

export interface SeenRuntimes extends AsyncDisposable {
  readonly useCases: RuntimesUseCases
}

/** The real API of runtimes for a world. It sees no control plane until it is told to. */
export interface RuntimesDoor {
  readonly routes: NonNullable<WorldOptions['routes']>
  /** Begins to look at the control plane of this run; `through` puts something between the two. */
  readonly see: (through?: (transport: HttpTransport) => HttpTransport) => Promise<SeenRuntimes>
}

export function runtimesDoor(): RuntimesDoor {
  const config = readConfig({}, { sections: [RUNTIMES] })
  let useCases: RuntimesUseCases | undefined
  return {
    routes: ({ pool, events }) => {
      useCases = openRuntimesUseCases({
        config,
        pool,
        events,
        board: statusBoard({ version: '0.0.0-test', clock: systemClock, events }),
        emitter: createEmitter<WatchEvents>(),
        noControlPlane: () => {
          throw new Error('there is no cluster in this test')
        },
      })
      return [
        runtimesRoutes({
          runtimes: useCases.runtimes,
          nfr: runtimesSettings(config.of(RUNTIMES)).nfr,
          clock: systemClock,
        }),
      ]
    },
    async see(through = (same) => same) {
      if (useCases === undefined) throw new Error('give the routes to a world before the API is to see a cluster')
      const transport = await testTransport()
      const stop = await startAll(useCases.see(through(transport)))
      return {
        useCases,
        async [Symbol.asyncDispose]() {
          await stop()
          await transport.close()
        },
      }
    },
  }
}
