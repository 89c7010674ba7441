import { onTestFinished } from 'vitest'
import { ClassRuntime } from '../../../src/domains/runtimes/index.ts'
import { runtimesDoor } from '../../api/runtimes/server.ts'
import { RuntimesWorld } from '../../runtimes/world.ts'
import { consoleWorld, type ConsoleWorld } from '../world.ts'

export interface RuntimesConsole extends ConsoleWorld {
  /** A namespace of the control plane of this run; whether anybody controls it is for the test to say. */
  readonly controlPlane: RuntimesWorld
  /** Writes what somebody who measures would recommend. */
  readonly recommend: (name: string, values: Readonly<Record<string, number>>) => Promise<void>
}

/** The console on the real API and the real API server. */
export async function runtimesConsole(): Promise<RuntimesConsole> {
  const door = runtimesDoor()
  const controlPlane = await RuntimesWorld.make()
  onTestFinished(() => controlPlane[Symbol.asyncDispose]())
  const world = await consoleWorld({}, { routes: door.routes })
  const seen = await door.see()
  onTestFinished(() => seen[Symbol.asyncDispose]())
  world.api.parts.board.domain('runtimes', { enabled: true, health: 'ok', message: '', objects: 0, not_ready: 0 })
  return {
    ...world,
    controlPlane,
    async recommend(name, values) {
      const at = new Date().toISOString()
      const basis = '212 requests per second of 200 wanted'
      const nfr_recommendations = Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, { value, at, confidence: 0.86, basis }]),
      )
      await controlPlane.client.patchStatus(ClassRuntime, controlPlane.at(name), {
        merge: { status: { nfr_recommendations } },
      })
    },
  }
}
