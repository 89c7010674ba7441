import {
  jittered,
  retryAfterOf,
  service,
  sleep,
  type Clock,
  type Emitter,
  type Random,
  type Service,
} from '../../kernel/index.ts'
import type { WatchEvent, WatchSource, Where } from '../client/client.ts'
import { isGone, isInvalid, KubeError } from '../errors.ts'
import type { KubeObject, Resource } from '../objects.ts'
import type { WatchEvents } from './events.ts'
import { connect, type Connection } from './connection.ts'
import { isOlder } from './version.ts'
import { firstState, step, type Emit, type ListReason, type WatchInput, type WatchState } from './machine.ts'

/** The result of a finished list, compared with what was known before. */
export interface ListResult {
  readonly objects: number
  readonly missed: number
  readonly overdue: number
}

/** Receives the objects. Called in order, never concurrently; must not block. */
export interface WatchSink<T extends KubeObject> {
  /** A list starts; an incomplete one is discarded. The watch had delivered everything up to `reached`. */
  begin(reached: string | undefined): void
  listed(objects: readonly T[]): void
  /** Deleted while the list was still running. */
  unlisted(object: T): void
  /** The list was complete at `version`: an object that it did not name is gone. */
  complete(version: string): ListResult
  put(object: T): void
  remove(object: T): void
}

export interface WatchTimings {
  /**
   * The time without an event after which a connection is replaced. A quiet resource gets no bookmark for minutes and
   * reconnects this often. @default 55_000
   */
  readonly idleMs: number
  /** The same while a list is streaming, when events are frequent. @default 15_000 */
  readonly listIdleMs: number
  /** How often all objects are compared with a fresh list. @default 3_600_000 */
  readonly auditMs: number
}

const TIMINGS: WatchTimings = { idleMs: 55_000, listIdleMs: 15_000, auditMs: 3_600_000 }

/** The server ends each watch after a random time in this range, so that watches do not reconnect together. */
const WATCH_SECONDS = { from: 300, to: 600 }
const PAGE_SIZE = 500
const END_OF_LIST = 'k8s.io/initial-events-end'

const LOST_BY: Partial<Record<WatchInput<KubeObject>['saw'], WatchEvents['watch:reconnected']['why']>> = {
  ended: 'ended',
  silence: 'idle',
  failure: 'failure',
}

export interface WatchDeps {
  readonly source: WatchSource
  readonly clock: Clock
  readonly emitter: Emitter<WatchEvents>
  /** @default Math.random */
  readonly random?: Random
}

export interface WatchSpec<T extends KubeObject> {
  readonly resource: Resource<T>
  readonly where?: Where
  readonly metadataOnly?: boolean
  readonly sink: WatchSink<T>
  readonly timings?: Partial<WatchTimings>
}

export interface Watch extends Service {
  /** Everything up to this version has been delivered. Absent while it lists. */
  version(): string | undefined
  /** Whether the server sends every change at the moment: the list is complete, and its watch was accepted. */
  readonly isCurrent: boolean
  /** Lists all objects again; ignored while a list is running. */
  relist(why: ListReason): void
}

/**
 * Delivers all changes of a resource to `sink` for as long as it runs.
 *
 * - Never silent: a connection without events is replaced after the idle time.
 * - Never over: no answer of the server ends it; failures are retried with exponential backoff.
 * - Never behind: after a gap the sink learns what changed and what was deleted, by a list where the history is lost.
 *
 * `start` resolves when the first list is complete.
 */
export function watch<T extends KubeObject>(deps: WatchDeps, spec: WatchSpec<T>): Watch {
  const { source, clock, emitter, random = Math.random } = deps
  const { resource, where = {}, sink, metadataOnly = false } = spec
  const timings = { ...TIMINGS, ...spec.timings }
  const name = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`
  const env = {
    random,
    get now() {
      return clock.now()
    },
  }

  let state: WatchState = firstState(true)
  /** The version that the watch had reached when it last lost its connection. */
  let reached: string | undefined
  let listingSince = clock.now()
  let lost: WatchEvents['watch:reconnected']['why'] | undefined
  let failedWith: unknown
  let onFirstList = (): void => {}
  let connection: Connection | undefined
  /** The server has accepted the present connection. */
  let isAccepted = false
  let relistRequest: ListReason | undefined

  function advance(input: WatchInput<T>): void {
    const from = state
    const [to, emit] = step(from, input, env)
    state = to
    if (from !== to) notice(from, input, to)
    try {
      perform(from, emit)
    } catch (error) {
      // If the sink throws, roll back so that the event is delivered again.
      state = from
      throw error
    }
  }

  function notice(from: WatchState, input: WatchInput<T>, to: WatchState): void {
    if (input.saw === 'put' || input.saw === 'remove' || input.saw === 'bookmark') return
    const was = from.at === 'backingOff' ? from.then : from
    if (was.at === 'watching') reached = was.version
    if (input.saw === 'silence') {
      const silentMs = from.at === 'watching' ? timings.idleMs : timings.listIdleMs
      emitter.emit('watch:idle', { resource: name, silentMs })
    }
    if (from.at === 'watching') lost = LOST_BY[input.saw]
    if (to.at === 'backingOff' && input.saw === 'failure' && input.verdict !== 'expired')
      emitter.emit('watch:error', {
        resource: name,
        error: failedWith,
        failures: to.failures,
        retryInMs: to.until - clock.now(),
      })
  }

  function perform(from: WatchState, emit: Emit<T>): void {
    switch (emit.tell) {
      case 'nothing':
        return
      case 'put':
        return sink.put(emit.object)
      case 'remove':
        return sink.remove(emit.object)
      case 'unlisted':
        return sink.unlisted(emit.object)
      case 'begin':
        listingSince = clock.now()
        relistRequest = undefined
        return sink.begin(reached)
      case 'listed':
        sink.listed(emit.objects)
        if (emit.complete && state.at === 'watching' && 'why' in from) completeList(from.why, state.version)
        return
      default:
        return emit satisfies never
    }
  }

  function completeList(why: ListReason, listedAt: string): void {
    const { objects, missed, overdue } = sink.complete(listedAt)
    const ms = clock.now() - listingSince
    lost = undefined
    if (why === 'first') emitter.emit('watch:connected', { resource: name, ms, objects })
    else {
      emitter.emit('watch:relisted', { resource: name, why, ms, objects })
      if (missed > 0) emitter.emit('watch:behind', { resource: name, foundBy: why, missed, overdue })
    }
    onFirstList()
  }

  /** A connection that was abandoned may be accepted later. */
  function accepted(connected: AbortSignal): void {
    if (connected.aborted) return
    isAccepted = true
    if (lost !== undefined && state.at === 'watching') emitter.emit('watch:reconnected', { resource: name, why: lost })
    lost = undefined
  }

  async function listen(signal: AbortSignal): Promise<WatchInput<T> | undefined> {
    // A relist requested after the last connection ended had no connection to close.
    if (state.at === 'watching' && relistRequest !== undefined) return relistInput()
    connection = connect<WatchEvent<T>>({
      open: (abort) => source.watchEvents(resource, { ...streamOptions(), onOpen: () => accepted(abort) }, abort),
      take(event) {
        advance(inputOf(event))
        return state.at === 'watching' || state.at === 'streamingList'
      },
      idleMs: () => (state.at === 'streamingList' ? timings.listIdleMs : timings.idleMs),
      clock,
      signal,
    })
    const end = await connection.end
    isAccepted = false
    switch (end.by) {
      case 'server':
        return { saw: 'ended' }
      case 'silence':
        if (state.at === 'watching') void checkForRewind(state.version, signal)
        return { saw: 'silence' }
      case 'failure':
        return failureInput(end.error)
      case 'us':
        return relistInput()
      default:
        return end satisfies never
    }
  }

  /**
   * Asks a silent server for its version, with a list of at most one object.
   *
   * A server restored from a backup accepts a watch from a version in its future, and sends nothing until its versions
   * have caught up. `known` was taken before the request, so that an older answer proves it. A restore whose versions have
   * already passed ours is found by the audit.
   */
  async function checkForRewind(known: string, signal: AbortSignal): Promise<void> {
    const page = await source
      .listPage(resource, { ...where, metadataOnly: true, limit: 1 }, signal)
      .catch(() => undefined)
    if (isOlder(page?.resourceVersion, known)) relist('rewound')
  }

  function relistInput(): WatchInput<T> | undefined {
    const why = relistRequest
    relistRequest = undefined
    return why === undefined ? undefined : { saw: 'asked', why }
  }

  const streamOptions = () => ({
    ...where,
    metadataOnly,
    timeoutSeconds: Math.round(WATCH_SECONDS.from + random() * (WATCH_SECONDS.to - WATCH_SECONDS.from)),
    ...(state.at === 'watching' ? { resourceVersion: state.version } : { sendInitialEvents: true }),
  })

  function inputOf(event: WatchEvent<T>): WatchInput<T> {
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
        return { saw: 'put', object: event.object }
      case 'DELETED':
        return { saw: 'remove', object: event.object }
      case 'BOOKMARK': {
        const { resourceVersion, annotations } = event.object.metadata
        return { saw: 'bookmark', version: resourceVersion, endOfList: annotations?.[END_OF_LIST] === 'true' }
      }
      case 'ERROR':
        return failureInput(new KubeError(`watch ${name}`, { code: 500, ...event.object }))
      default:
        return event satisfies never
    }
  }

  function failureInput(error: unknown): WatchInput<T> {
    failedWith = error
    return { saw: 'failure', verdict: verdictOf(error), retryAfterMs: retryAfterOf(error) }
  }

  async function fetchPage(token: string | undefined, signal: AbortSignal): Promise<WatchInput<T>> {
    const options = { ...where, metadataOnly, limit: PAGE_SIZE, ...(token !== undefined && { continueToken: token }) }
    try {
      const page = await source.listPage(resource, options, signal)
      return { saw: 'page', objects: page.items, version: page.resourceVersion, token: page.continueToken }
    } catch (error) {
      return failureInput(error)
    }
  }

  function nextInput(signal: AbortSignal): Promise<WatchInput<T> | undefined> {
    switch (state.at) {
      case 'streamingList':
      case 'watching':
        return listen(signal)
      case 'pagedList':
        return fetchPage(state.token, signal)
      case 'backingOff':
        return sleep(clock, state.until - clock.now(), signal).then(
          () => ({ saw: 'due' }),
          () => undefined,
        )
      default:
        return state satisfies never
    }
  }

  function relist(why: ListReason): void {
    if (state.at !== 'watching') return advance({ saw: 'asked', why })
    relistRequest = why
    connection?.hangUp()
  }

  const running = service(`watch of ${name}`, async (signal, ready) => {
    onFirstList = ready
    let cancelAudit = (): void => {}
    const auditLater = (): void => {
      cancelAudit = clock.after(jittered(timings.auditMs, random), () => {
        relist('audit')
        auditLater()
      })
    }
    auditLater()
    listingSince = clock.now()
    sink.begin(undefined)
    while (!signal.aborted) {
      const input = await nextInput(signal)
      if (input === undefined || signal.aborted) continue
      try {
        advance(input)
      } catch (error) {
        advance(failureInput(error))
      }
    }
    cancelAudit()
    await connection?.released
  })

  function version(): string | undefined {
    const going = state.at === 'backingOff' ? state.then : state
    return going.at === 'watching' ? going.version : undefined
  }

  return {
    ...running,
    relist,
    version,
    get isCurrent() {
      return isAccepted && state.at === 'watching'
    },
  }
}

function verdictOf(error: unknown): 'expired' | 'refused' | 'failed' {
  if (isGone(error) || isFromTheFuture(error)) return 'expired'
  return isInvalid(error) ? 'refused' : 'failed'
}

/** The server has never been at our version: it was restored from a backup, or is a replica far behind. */
const isFromTheFuture = (error: unknown): boolean =>
  error instanceof KubeError && (error.details.causes ?? []).some((cause) => cause.reason === 'ResourceVersionTooLarge')
