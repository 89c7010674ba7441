import { delayFor, jittered, type Backoff, type Random } from '../../kernel/index.ts'
import type { KubeObject } from '../objects.ts'
import { compareVersions, isNotNewer, isOlder } from './version.ts'

/*
 * The protocol of a watch: one union of states, one union of inputs, one pure function.
 *
 *            ┌──────────────── asked, expired (after a pause) ────────────────┐
 *            ▼                                                                │
 *   streamingList ──end of list──▶ watching ◀──last page── pagedList          │
 *        │  └──────unsupported────────│──────────────────▶    ▲ └─more pages─┐│
 *        │                            │ ended, silence: again └──────────────┘│
 *        └────────failed──────▶ backingOff ──due──▶ where it failed ──────────┘
 *
 * - version: a resourceVersion; a broken watch resumes from the last one received
 * - list:    all objects, as a stream that ends with an annotated bookmark, or in pages
 * - relist:  a list that is not the first; each difference from the known state was missed by the watch
 */

/** Why all objects are listed. */
export type ListReason =
  | 'first'
  /** The server no longer has our version in its history. */
  | 'expired'
  /** The regular check that the watch has delivered everything. */
  | 'audit'
  /** The watch did not deliver an object that we wrote. */
  | 'behind'
  /** The server is at an older version than before: its data was restored from a backup. */
  | 'rewound'

interface Attempts {
  /** Whether the server supports streaming lists, as far as known. */
  readonly streams: boolean
  /** Connections that failed since the last event. */
  readonly failures: number
}

export type Listing = Attempts &
  (
    | { readonly at: 'streamingList'; readonly why: ListReason }
    | { readonly at: 'pagedList'; readonly why: ListReason; readonly token: string | undefined }
  )
type Watching = Attempts & {
  readonly at: 'watching'
  readonly version: string
  /** An event arrived on the present connection. */
  readonly heard: boolean
}
type BackingOff = Attempts & {
  readonly at: 'backingOff'
  readonly until: number
  readonly then: Listing | Watching
}
export type WatchState = Listing | Watching | BackingOff

export type WatchInput<T extends KubeObject> =
  | { readonly saw: 'put' | 'remove'; readonly object: T }
  | { readonly saw: 'bookmark'; readonly version: string | undefined; readonly endOfList: boolean }
  | {
      readonly saw: 'page'
      readonly objects: readonly T[]
      readonly version: string
      readonly token: string | undefined
    }
  /** The server closed the stream without an error. */
  | { readonly saw: 'ended' }
  /** No event and no bookmark for longer than the idle time. */
  | { readonly saw: 'silence' }
  | {
      readonly saw: 'failure'
      readonly verdict: 'expired' | 'refused' | 'failed'
      readonly retryAfterMs: number | undefined
    }
  | { readonly saw: 'due' }
  | { readonly saw: 'asked'; readonly why: ListReason }

/** What a transition tells the sink. */
export type Emit<T extends KubeObject> =
  | { readonly tell: 'nothing' }
  /** A list begins; the result of an unfinished one is discarded. */
  | { readonly tell: 'begin' }
  | { readonly tell: 'listed'; readonly objects: readonly T[]; readonly complete: boolean }
  | { readonly tell: 'unlisted'; readonly object: T }
  | { readonly tell: 'put' | 'remove'; readonly object: T }

export interface StepEnv {
  readonly now: number
  readonly random: Random
}

/** Capped well below the 30 s within which a change must be reconciled. */
export const WATCH_BACKOFF: Backoff = { baseMs: 500, capMs: 15_000 }

/** The longest Retry-After that a watch honours. */
const LONGEST_PAUSE_MS = 30_000

/** Watches expire together when the server restarts or is restored. This spreads their lists. */
const RELIST_SPREAD_MS = 2_000

const NOTHING = { tell: 'nothing' } as const
const BEGIN = { tell: 'begin' } as const

export const firstState = (streams: boolean): Listing => list('first', { streams, failures: 0 })

/** Advances the watch by one input. Total: an input that does not apply to a state leaves it unchanged. */
export function step<T extends KubeObject>(
  state: WatchState,
  input: WatchInput<T>,
  env: StepEnv,
): readonly [WatchState, Emit<T>] {
  switch (state.at) {
    case 'streamingList':
      return stepStreamingList(state, input, env)
    case 'pagedList':
      return stepPagedList(state, input, env)
    case 'watching':
      return stepWatching(state, input, env)
    case 'backingOff':
      return stepBackingOff(state, input)
    default:
      return state satisfies never
  }
}

function stepStreamingList<T extends KubeObject>(
  state: Listing,
  input: WatchInput<T>,
  env: StepEnv,
): readonly [WatchState, Emit<T>] {
  switch (input.saw) {
    case 'put':
      return [state, { tell: 'listed', objects: [input.object], complete: false }]
    case 'remove':
      return [state, { tell: 'unlisted', object: input.object }]
    case 'bookmark':
      if (input.endOfList && input.version !== undefined)
        return [watching(input.version, state, true), { tell: 'listed', objects: [], complete: true }]
      // A server that supports streaming lists annotates the first bookmark.
      return [list(state.why, { ...state, streams: false }), BEGIN]
    case 'silence':
      return [list(state.why, { ...state, streams: false }), BEGIN]
    case 'failure':
      if (input.verdict === 'refused') return [list(state.why, { ...state, streams: false }), BEGIN]
      return [backOff(state, state, env, input.retryAfterMs), NOTHING]
    case 'ended':
      return [backOff(state, state, env), NOTHING]
    case 'page':
    case 'due':
    case 'asked':
      return [state, NOTHING]
    default:
      return input satisfies never
  }
}

function stepPagedList<T extends KubeObject>(
  state: Listing & { readonly at: 'pagedList' },
  input: WatchInput<T>,
  env: StepEnv,
): readonly [WatchState, Emit<T>] {
  switch (input.saw) {
    case 'page': {
      const complete = input.token === undefined
      const next = complete ? watching(input.version, state, false) : { ...state, token: input.token }
      return [next, { tell: 'listed', objects: input.objects, complete }]
    }
    case 'failure':
      // The continue token expired or was refused: list from the start.
      if (input.verdict !== 'failed') return [backOff(state, list(state.why, state), env), NOTHING]
      return [backOff(state, state, env, input.retryAfterMs), NOTHING]
    case 'put':
    case 'remove':
    case 'bookmark':
    case 'ended':
    case 'silence':
    case 'due':
    case 'asked':
      return [state, NOTHING]
    default:
      return input satisfies never
  }
}

function stepWatching<T extends KubeObject>(
  state: Watching,
  input: WatchInput<T>,
  env: StepEnv,
): readonly [WatchState, Emit<T>] {
  switch (input.saw) {
    case 'put': {
      const version = input.object.metadata.resourceVersion
      // A repeated event with an older version would take the object back in time.
      if (isNotNewer(version, state.version)) return [heard(state, state.version), NOTHING]
      return [heard(state, version ?? state.version), { tell: 'put', object: input.object }]
    }
    case 'remove':
      // Some servers report a deletion with the version of the last change, so its version is not compared.
      return [
        heard(state, later(state.version, input.object.metadata.resourceVersion)),
        { tell: 'remove', object: input.object },
      ]
    case 'bookmark':
      if (isOlder(input.version, state.version)) return [listSoon('rewound', state, env), NOTHING]
      return [heard(state, input.version ?? state.version), NOTHING]
    case 'ended':
      // A stream that ends without an event backs off, or it would be reopened in a busy loop.
      return state.heard ? [{ ...state, heard: false }, NOTHING] : [backOff(state, state, env), NOTHING]
    case 'silence':
      // The stream was accepted and lasted for the idle time, so that neither a failure nor a pause is due.
      return [{ ...state, heard: false, failures: 0 }, NOTHING]
    case 'failure':
      if (input.verdict === 'failed') return [backOff(state, state, env, input.retryAfterMs), NOTHING]
      return [listSoon('expired', state, env), NOTHING]
    case 'asked':
      return [list(input.why, state), BEGIN]
    case 'page':
    case 'due':
      return [state, NOTHING]
    default:
      return input satisfies never
  }
}

function stepBackingOff<T extends KubeObject>(state: BackingOff, input: WatchInput<T>): readonly [WatchState, Emit<T>] {
  const { then } = state
  if (input.saw === 'due') return [then, then.at === 'watching' || isMidList(then) ? NOTHING : BEGIN]
  if (input.saw === 'asked' && then.at === 'watching') return [{ ...state, then: list(input.why, then) }, NOTHING]
  return [state, NOTHING]
}

const isMidList = (state: Listing): boolean => state.at === 'pagedList' && state.token !== undefined

function list(why: ListReason, { streams, failures }: Attempts): Listing {
  return streams
    ? { at: 'streamingList', why, streams, failures }
    : { at: 'pagedList', why, token: undefined, streams, failures }
}

/** Keeps the failures: only an event resets them. A server that lists but never watches would be listed in a busy loop. */
const watching = (version: string, { streams, failures }: Attempts, alive: boolean): Watching => ({
  at: 'watching',
  version,
  heard: alive,
  streams,
  failures,
})

const heard = (state: Watching, version: string): Watching =>
  state.heard && state.failures === 0 && state.version === version
    ? state
    : { at: 'watching', version, heard: true, streams: state.streams, failures: 0 }

const listSoon = (why: ListReason, state: Attempts, env: StepEnv): BackingOff =>
  backOff(state, list(why, state), env, Math.round(env.random() * RELIST_SPREAD_MS), state.failures === 0)

/** `atOnce` skips the exponential pause and keeps `atLeastMs`. */
function backOff(
  from: Attempts,
  then: Listing | Watching,
  { now, random }: StepEnv,
  atLeastMs = 0,
  atOnce = false,
): BackingOff {
  const failures = from.failures + 1
  const pause = Math.min(atLeastMs, LONGEST_PAUSE_MS)
  const ms = atOnce ? pause : Math.max(pause, jittered(delayFor(failures, WATCH_BACKOFF), random))
  const next: Listing | Watching = then.at === 'watching' ? { ...then, failures, heard: false } : { ...then, failures }
  return { at: 'backingOff', until: now + ms, then: next, streams: from.streams, failures }
}

function later(known: string, next: string | undefined): string {
  if (next === undefined) return known
  return (compareVersions(next, known) ?? 1) > 0 ? next : known
}
