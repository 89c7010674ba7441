import { expect, test } from 'vitest'
import {
  createEmitter,
  failureOf,
  holding,
  manualClock,
  seededRandom,
  settled,
  sleep,
  startAll,
  type Clock,
  type ManualClock,
  type Run,
} from '../../kernel/index.ts'
import { FakeKubernetes } from '../../kube/fake/index.ts'
import { ConfigMap, kubeLocks, makeClient, type KubeRequest, type Transport } from '../../kube/index.ts'
import { ClassRuntime } from './class-runtime.ts'
import { runtimesController, type RuntimesControllerEvents } from './controller.ts'
import { SETTINGS } from './fake/world.ts'
import type { ReconcilerDeps } from './reconciler.ts'

const NAMESPACE = 'shop'
const at = (name: string) => ({ namespace: NAMESPACE, name })
const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap' } as const

/** A process that can be stopped as SIGSTOP does: its clocks go on, and it learns of nothing until it continues. */
class Process {
  readonly clock: Clock
  #continued = Promise.withResolvers<void>()
  #isPaused = false

  constructor(clock: Clock) {
    const whenRunning = (fn: () => void) => () => void (this.#isPaused ? this.#continued.promise.then(fn) : fn())
    this.clock = { ...clock, after: (ms, fn) => clock.after(ms, whenRunning(fn)) }
  }

  pause(): void {
    this.#isPaused = true
    this.#continued = Promise.withResolvers()
  }

  continue(): void {
    this.#isPaused = false
    this.#continued.resolve()
  }

  wire(inner: Transport): Transport {
    const running = async (): Promise<void> => (this.#isPaused ? this.#continued.promise : undefined)
    return {
      async send(request) {
        const answer = await inner.send(request)
        await running()
        return answer
      },
      async *stream(request) {
        for await (const line of inner.stream(request)) {
          await running()
          yield line
        }
      },
    }
  }
}

interface Candidate {
  readonly name: string
  readonly process: Process
  /** From now on requests to write a Lease fail, and everything else goes through. */
  loseLeases(): void
  /** From now on no request is answered. */
  loseAnswers(): void
  stop(): Promise<void>
}

interface Stage {
  readonly clock: ManualClock
  readonly log: string[]
  /** Counts the requests that arrive at the API server and change something other than a Lease. */
  readonly writes: (by: string) => number
  readonly candidate: (name: string, effect: (deps: ReconcilerDeps, run: Run) => Promise<void>) => Promise<Candidate>
}

/** Every run repeats its effect each second for ten minutes. */
async function stage(): Promise<Stage> {
  const clock = manualClock(Date.parse('2030-01-01T00:00:00Z'))
  const kubernetes = new FakeKubernetes({
    clock,
    random: seededRandom(1),
    definitions: [ClassRuntime.manifest],
    namespaces: [NAMESPACE],
  })
  const outside = makeClient(kubernetes.transport(), { fieldManager: 'test' })
  const identity = { apiVersion: 'oaas.io/v1alpha1', kind: 'ClassRuntime' } as const
  await outside.create(ClassRuntime, { ...identity, metadata: at('cart'), spec: {} })
  const log: string[] = []
  const written: string[] = []
  return {
    clock,
    log,
    writes: (by) => written.filter((one) => one === by).length,
    async candidate(name, effect) {
      const process = new Process(clock)
      let [hasLeases, hasAnswers] = [true, true]
      const counted: Transport = {
        ...kubernetes.transport(),
        async send(request) {
          if (!hasLeases && isLeaseWrite(request)) throw new Error('connection reset')
          if (request.method !== 'GET' && !request.path.includes('/leases')) written.push(name)
          const answer = await kubernetes.transport().send(request)
          return hasAnswers ? answer : unanswered(request)
        },
      }
      const emitter = createEmitter<RuntimesControllerEvents>()
      emitter.on('leader:elected', ({ term }) => log.push(`${name} leads term ${term}`))
      emitter.on('leader:lost', ({ why }) => log.push(`${name} lost: ${why}`))
      emitter.on('reconcile:end', ({ outcome, failure }) => log.push(`${name} ran: ${failure?.code ?? outcome}`))
      const { services, election } = runtimesController({
        transport: process.wire(counted),
        clock: process.clock,
        random: () => 0.5,
        settings: SETTINGS,
        instance: name,
        leader: { lease: at('leader') },
        locks: kubeLocks({
          client: makeClient(process.wire(counted), { fieldManager: 'locks' }),
          namespace: NAMESPACE,
          clock: process.clock,
        }),
        emitter,
        reconcile: (deps) => async (run) => {
          for (let n = 0; n < 600; n++) {
            await effect(deps, run)
            await sleep(process.clock, 1_000, run.signal)
          }
          return settled()
        },
      })
      election?.done.catch(() => log.push(`${name} failed`))
      const started = startAll(services)
      await clock.advance(1_000)
      return {
        name,
        process,
        loseLeases: () => (hasLeases = false),
        loseAnswers: () => (hasAnswers = false),
        stop: await started,
      }
    },
  }
}

const isLeaseWrite = ({ method, path }: KubeRequest): boolean => method !== 'GET' && path.includes('/leases/')

const unanswered = ({ signal }: KubeRequest): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))))

const CART = { apiVersion: 'oaas.io/v1alpha1', kind: 'ClassRuntime', metadata: { ...at('cart'), uid: 'of-cart' } }
const TESTED = { type: 'Normal', reason: 'Tested', action: 'Test' } as const

type Effect = (deps: ReconcilerDeps, run: Run) => Promise<unknown>

/** Ignores its signal, as code that has just been woken up would. */
const EFFECTS: Readonly<Record<string, Effect>> = {
  status: ({ client }) =>
    client.patchStatus(ClassRuntime, at('cart'), { merge: { status: { message: String(Math.random()) } } }),
  children: ({ client }) => client.apply(ConfigMap, { ...CONFIG, metadata: at('child') }, { force: true }),
  deletions: ({ client }) => client.delete(ConfigMap, at('child')),
  finalizers: ({ client }) =>
    client.patch(ClassRuntime, at('cart'), { merge: { metadata: { finalizers: ['a.example/b'] } } }),
  events: async ({ events }) => events.record(CART, { ...TESTED, note: String(Math.random()) }),
}

test.each(Object.entries(EFFECTS))('a leader that was paused writes no %s after another leads', async (_, effect) => {
  const { clock, log, writes, candidate } = await stage()
  const one = await candidate('one', async (deps, run) => void (await effect(deps, run)))
  await candidate('two', async () => {})
  await clock.advance(5_500)
  const before = writes('one')
  expect(before).toBeGreaterThan(3)
  one.process.pause()
  await clock.advance(20_000)
  expect(log.slice(0, 2)).toEqual(['one leads term 1', 'two leads term 2'])
  one.process.continue()
  await clock.advance(60_000)
  expect(writes('one')).toBe(before)
  expect(log).toContain('one lost: expired')
})

test('a leader that cannot renew its lease aborts its runs and writes nothing before another leads', async () => {
  const { clock, log, writes, candidate } = await stage()
  const one = await candidate('one', async (deps, run) => void (await EFFECTS['children']?.(deps, run)))
  await candidate('two', async () => {})
  await clock.advance(5_000)
  one.loseLeases()
  await clock.advance(11_000)
  expect(log).toEqual(['one leads term 1', 'one lost: expired', 'one ran: handedBack'])
  const before = writes('one')
  await clock.advance(60_000)
  expect(log).toContain('two leads term 2')
  expect(writes('one')).toBe(before)
})

test('a leader that loses the lead waits neither for unanswered requests nor for its events', async () => {
  const { clock, log, candidate } = await stage()
  const one = await candidate('one', async ({ client, events }, { signal }) => {
    events.record(CART, { ...TESTED, note: String(Math.random()) })
    await client.apply(ConfigMap, { ...CONFIG, metadata: at('child') }, { force: true, signal })
  })
  await clock.advance(5_000)
  one.loseAnswers()
  await clock.advance(60_000)
  expect(log).toEqual(['one leads term 1', 'one lost: expired', 'one ran: handedBack'])
})

test('a regular stop writes outstanding events while the process still leads', async () => {
  const { clock, writes, candidate } = await stage()
  const one = await candidate('one', async ({ events }) => events.record(CART, { ...TESTED, note: 'again' }))
  await clock.advance(5_000)
  expect(writes('one')).toBe(1)
  const stopped = one.stop()
  await clock.advance(30_000)
  await stopped
  expect(writes('one')).toBe(2)
})

test('a process that does not lead takes no target locks', async () => {
  const { clock, log, candidate } = await stage()
  const failures: string[] = []
  const one = await candidate('one', async ({ locking, clock: own }, { signal }) => {
    const lock = holding({ locks: locking!.locks, clock: own, holder: 'one', signal }, ['target'], async () => {})
    await lock.catch((error: unknown) => failures.push(failureOf(error).code))
  })
  await candidate('two', async () => {})
  await clock.advance(5_500)
  expect(failures).toEqual([])
  one.process.pause()
  await clock.advance(20_000)
  one.process.continue()
  await clock.advance(100)
  expect(log).toContain('two leads term 2')
  expect(failures).toEqual(['NotLeading'])
})
