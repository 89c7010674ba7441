import { onTestFinished } from 'vitest'
import { runtimesRoutes, statusBoard } from '../../src/api/index.ts'
import { readConfig } from '../../src/config.ts'
import { ClassRuntime } from '../../src/domains/runtimes/index.ts'
import { happenings, startAll, systemClock } from '../../src/kernel/index.ts'
import type { WatchHappenings } from '../../src/kube/index.ts'
import { openRuntimesRoom, type RuntimesRoom } from '../../src/processes/runtimes-room.ts'
import { runtimesSettings } from '../../src/processes/runtimes-settings.ts'
import { RuntimesWorld } from '../runtimes/world.ts'
import { testTransport } from '../support/kube.ts'
import { consoleWorld, type ConsoleWorld } from './world.ts'

export interface RuntimesConsole extends ConsoleWorld {
  /** A namespace of the control plane of this run; whether anybody controls it is for the test to say. */
  readonly cluster: RuntimesWorld
  /** Writes what somebody who measures would recommend. */
  readonly recommend: (name: string, values: Readonly<Record<string, number>>) => Promise<void>
}

/** The console on the real API and the real API server. */
export async function runtimesConsole(): Promise<RuntimesConsole> {
  const config = readConfig({})
  const rooms: RuntimesRoom[] = []
  const cluster = await RuntimesWorld.make()
  onTestFinished(() => cluster[Symbol.asyncDispose]())
  const world = await consoleWorld(
    {},
    {
      routes: ({ pool, events }) => {
        const room = openRuntimesRoom({
          config,
          pool,
          events,
          board: statusBoard({ version: '0.0.0-test', clock: systemClock, events }),
          happenings: happenings<WatchHappenings>(),
          noCluster: () => {
            throw new Error('there is no cluster in this test')
          },
        })
        rooms.push(room)
        return [runtimesRoutes({ runtimes: room.runtimes, nfr: runtimesSettings(config).nfr, clock: systemClock })]
      },
    },
  )
  const [room] = rooms
  if (room === undefined) throw new Error('expected the routes of runtimes to be asked for')
  const transport = await testTransport()
  const stop = await startAll(room.see(transport))
  onTestFinished(async () => {
    await stop()
    await transport.close()
  })
  world.api.parts.board.domain('runtimes', { enabled: true, health: 'ok', message: '', objects: 0, not_ready: 0 })
  return {
    ...world,
    cluster,
    async recommend(name, values) {
      const at = new Date().toISOString()
      const basis = '212 requests per second of 200 wanted'
      const nfr_recommendations = Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, { value, at, confidence: 0.86, basis }]),
      )
      await cluster.client.patchStatus(ClassRuntime, cluster.at(name), { merge: { status: { nfr_recommendations } } })
    },
  }
}
