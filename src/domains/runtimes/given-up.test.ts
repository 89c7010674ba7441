import { expect, test } from 'vitest'
import { createEmitter, manualClock, seededRandom, startAll } from '../../kernel/index.ts'
import { FakeKubernetes } from '../../kube/fake/index.ts'
import { Event, makeClient } from '../../kube/index.ts'
import { ClassRuntime } from './class-runtime.ts'
import { runtimesController, type RuntimesControllerEvents } from './controller.ts'
import { explain } from './explain.ts'
import { available } from './fake/cart.ts'
import { looking, SETTINGS } from './fake/world.ts'
import { conditionOf } from './judge/phase.ts'
import { runtimesReconcile } from './reconciler.ts'

const at = { namespace: 'shop', name: 'cart' }
const HOUR = 3_600_000

test('a runtime whose runs never end is degraded with a failure code, and recovers with the next run that ends', async () => {
  const clock = manualClock(Date.parse('2030-01-01T00:00:00Z'))
  const kubernetes = new FakeKubernetes({
    clock,
    random: seededRandom(1),
    definitions: [ClassRuntime.manifest],
    namespaces: ['shop'],
  })
  const client = makeClient(kubernetes.transport(), { fieldManager: 'test' })
  const identity = { apiVersion: 'oaas.io/v1alpha1', kind: 'ClassRuntime' } as const
  await client.create(ClassRuntime, { ...identity, metadata: at, spec: { functions: [] } })
  const emitter = createEmitter<RuntimesControllerEvents>()
  const ends: string[] = []
  emitter.on('reconcile:end', ({ outcome, failure }) => ends.push(failure?.code ?? outcome))
  let hangs = true
  const { services } = runtimesController({
    transport: kubernetes.transport(),
    clock,
    random: () => 0.5,
    settings: SETTINGS,
    instance: 'one',
    emitter,
    resyncMs: 1_000 * HOUR,
    reconcile: (deps) => (run) => (hangs ? new Promise(() => {}) : runtimesReconcile(deps)(run)),
  })
  const starting = startAll(services)
  await clock.advance(1_000)
  const stop = await starting
  for (let n = 0; n < 40 && !ends.includes('RunNeverEnded'); n++) await clock.advance(HOUR / 10)

  const runtime = await client.get(ClassRuntime, at)
  expect(runtime?.status).toMatchObject({ phase: 'degraded', observed_generation: 1 })
  expect(conditionOf(runtime?.status ?? {}, 'Degraded')).toMatchObject({
    status: 'True',
    reason: 'RunNeverEnded',
    message: expect.stringContaining('5 runs of ClassRuntime/shop/cart in a row never ended'),
  })
  await clock.advance(60_000)
  const events = await client.list(Event, { namespace: 'shop' })
  expect(events).toMatchObject([{ type: 'Warning', reason: 'RunNeverEnded' }])

  hangs = false
  await client.patch(ClassRuntime, at, { merge: { spec: { addons: [] } } })
  await clock.advance(HOUR / 10)
  expect(conditionOf((await client.get(ClassRuntime, at))?.status ?? {}, 'Degraded')?.status).not.toBe('True')
  const stopped = stop()
  await clock.advance(HOUR)
  await stopped
})

test('explain answers from the status alone, and names who has to act', () => {
  const { seen } = available
  const { status = {}, metadata } = seen.runtime
  const observedGeneration = metadata.generation ?? 0
  const degraded = { type: 'Degraded', status: 'True', reason: 'RunNeverEnded', observedGeneration } as const
  const conditions = [{ ...degraded, message: 'they hang', lastTransitionTime: '2030-01-01T00:00:00Z' }]
  const runtime = { ...seen.runtime, status: { ...status, phase: 'degraded', message: 'they hang', conditions } }
  // An explanation that decides would read this.
  const poison = {
    get children(): never {
      throw new Error('deciding hangs')
    },
  }
  const world = looking(available, { runtime })
  const poisoned = Object.defineProperties({ ...world.seen }, Object.getOwnPropertyDescriptors(poison))
  expect(explain(poisoned as typeof world.seen, SETTINGS, world.now)).toEqual({
    why: ['it is degraded since 2030-01-01T00:00:00Z: they hang (RuntimeRunNeverEnded)'],
    next: 'nothing, until the runtime is changed, the controllers restart or the drift scan retries it',
    at: null,
    whoseMove: 'operator',
    nextStep: expect.stringContaining('change the ClassRuntime, or restart the controllers'),
    blockers: [],
  })
  const changed = { ...runtime, metadata: { ...metadata, generation: observedGeneration + 1 } }
  expect(explain({ ...seen, runtime: changed }, SETTINGS, world.now).next).not.toContain('drift scan')
})
