import {
  createEmitter,
  messageOf,
  service,
  sleep,
  systemClock,
  type Clock,
  type Emitter,
  type Service,
} from '../../../kernel/index.ts'
import { makeClient, type At, type Change, type Transport, type WatchEvents } from '../../../kube/index.ts'
import { managedCaches, openCaches } from '../watch/caches.ts'
import { ClassRuntime } from '../class-runtime.ts'
import { LocalState } from '../watch/local-state.ts'
import { observe } from '../observe.ts'
import type { NfrSettings } from '../settings.ts'
import type { ManagedKind, Observed } from '../types.ts'
import { raise } from './failures.ts'

/** The runtimes of a control plane, from watches. Every reader throws `RuntimesUnseen` before the first list. */
export interface RuntimesView {
  /** Ready at once, also if the control plane does not answer or does not serve the kind yet. */
  readonly service: Service
  /** Resolves once the first list has come or has failed, and at the latest when it takes too long to wait for. */
  listed(): Promise<void>
  /** Whether readers would be answered now. */
  isSeeing(): boolean
  list(namespace?: string): readonly ClassRuntime[]
  observe(where: At): Observed | undefined
  served(): readonly ManagedKind[]
  /** What the server answered to a write of ours: whoever asks next sees it, however late the watch is. */
  wrote(runtime: ClassRuntime): void
  onChange(listener: (change: Change<ClassRuntime>) => void): () => void
}

export interface RuntimesViewOptions {
  readonly transport: Transport
  /** For what counts as recent. */
  readonly nfr: NfrSettings
  readonly emitter?: Emitter<WatchEvents>
  readonly clock?: Clock
}

/** Watches break and come back all the time; what is told is taken for old only after this long. */
const PATIENCE_MS = 5_000
/** Who asks before the first list has come would rather wait this long than ask again. */
const FIRST_LIST_MS = 10_000

/** As its watch calls itself. */
const WATCHED = ClassRuntime.manifest.metadata.name

const BACK = ['watch:connected', 'watch:reconnected', 'watch:relisted'] as const

export function openRuntimesView({ transport, nfr, emitter, clock = systemClock }: RuntimesViewOptions): RuntimesView {
  const told = createEmitter<WatchEvents>()
  let lost: { readonly since: number; readonly error: unknown } | undefined
  let isSynced = false
  const begun = Promise.withResolvers<void>()
  told.on('watch:error', ({ resource, error }) => {
    if (resource !== WATCHED) return
    lost = { since: lost?.since ?? clock.now(), error }
    begun.resolve()
  })
  for (const name of BACK) {
    told.on(name, ({ resource }) => {
      if (resource === WATCHED) lost = undefined
    })
  }
  const client = makeClient(transport, { fieldManager: 'caelus' })
  const both: Emitter<WatchEvents> = {
    on: (event, listener) => told.on(event, listener),
    emit(event, what) {
      told.emit(event, what)
      emitter?.emit(event, what)
    },
  }
  const watching = { source: client, clock, random: Math.random, emitter: both }
  const caches = openCaches(watching)
  const managed = managedCaches(watching)
  const remembered = new LocalState(nfr)
  remembered.follow(caches.runtimes)
  const sight = { caches, apis: managed, memory: remembered }

  const isSeeing = (): boolean => isSynced && (lost === undefined || clock.now() - lost.since < PATIENCE_MS)
  const mustSee = (): void => {
    if (isSeeing()) return
    const why = lost === undefined ? 'they are still being listed' : messageOf(lost.error)
    throw raise.RuntimesUnseen(`failed to see the runtimes of the control plane: ${why}`)
  }

  return {
    service: service('runtimes look', async (signal, ready) => {
      const all = [...caches.services, managed]
      signal.addEventListener('abort', () => void Promise.all(all.map((one) => one.stop())), { once: true })
      ready()
      await Promise.all(all.map((one) => one.start()))
      isSynced = true
      begun.resolve()
      await Promise.all(all.map((one) => one.done))
    }),
    async listed() {
      const enough = new AbortController()
      const late = sleep(clock, FIRST_LIST_MS, enough.signal).catch(() => {})
      await Promise.race([begun.promise, late])
      enough.abort()
    },
    isSeeing,
    list(namespace) {
      mustSee()
      return caches.runtimes.list(namespace)
    },
    observe(where) {
      mustSee()
      return observe(sight, where, [], clock.now())
    },
    served: () => managed.served(),
    wrote: (runtime) => caches.runtimes.wrote(runtime),
    onChange: (listener) => caches.runtimes.onChange(listener),
  }
}
