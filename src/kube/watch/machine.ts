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
 * - version: a resourceVersion; the last one heard is where a broken watch goes on
 * - list:    everything there is, as a stream that ends with a marked bookmark, or in pages
 * - relist:  a list that is not the first; what differs from the last known state was missed
 */

/** Why everything is listed (again). */
export type ListReason =
  | 'first'
  /** The server no longer has our version in its history. */
  | 'expired'
  /** The regular check that the watch has told us everything. */
  | 'audit'
  /** An object we wrote did not come back through the watch. */
  | 'behind'
  /** The server is at an older version than it had told us before: its data was restored from a backup. */
  | 'rewound'

interface Memory {
  /** Lists by stream; false from the first time the server shows that it cannot. */
  readonly streams: boolean
  /** Connections that failed since one last delivered something. */
  readonly failures: number
}

export type Listing = Memory &
  (
    | { readonly at: 'streamingList'; readonly why: ListReason }
    | { readonly at: 'pagedList'; readonly why: ListReason; readonly token: string | undefined }
  )
type Watching = Memory & {
  readonly at: 'watching'
  readonly version: string
  /** Something arrived on the present connection. */
  readonly heard: boolean
}
type BackingOff = Memory & {
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
  /** The server closed the stream in good order. */
  | { readonly saw: 'ended' }
  /** Nothing, not even a bookmark, for longer than a living connection may be silent. */
  | { readonly saw: 'silence' }
  | {
      readonly saw: 'failure'
      readonly verdict: 'expired' | 'refused' | 'failed'
      readonly retryAfterMs: number | undefined
    }
  | { readonly saw: 'due' }
  | { readonly saw: 'asked'; readonly why: ListReason }

/** What a transition tells whoever keeps the objects. */
export type Emit<T extends KubeObject> =
  | { readonly tell: 'nothing' }
  /** A list begins from the start; what an unfinished one had collected does not count. */
  | { readonly tell: 'begin' }
  | { readonly tell: 'listed'; readonly objects: readonly T[]; readonly complete: boolean }
  | { readonly tell: 'unlisted'; readonly object: T }
  | { readonly tell: 'put' | 'remove'; readonly object: T }

export interface StepEnv {
  readonly now: number
  readonly random: Random
}

/** A watch that missed thirty seconds of trying would be late for the promise that nothing takes longer than that. */
export const WATCH_BACKOFF: Backoff = { baseMs: 500, capMs: 15_000 }

/** A server may ask for patience, but not for so much that the watch would be silent. */
const LONGEST_PAUSE_MS = 30_000

/** Watches lose their version together (the server restarted, or was restored); this spreads their lists. */
const RELIST_SPREAD_MS = 2_000

const NOTHING = { tell: 'nothing' } as const
const BEGIN = { tell: 'begin' } as const

export const firstState = (streams: boolean): Listing => list('first', { streams, failures: 0 })

/** Advances the watch by one input. Total: an input that means nothing in a state leaves it as it is. */
export function step<T extends KubeObject>(
  state: WatchState,
  input: WatchInput<T>,
  chance: StepEnv,
): readonly [WatchState, Emit<T>] {
  switch (state.at) {
    case 'streamingList':
      return stepStreamingList(state, input, chance)
    case 'pagedList':
      return stepPagedList(state, input, chance)
    case 'watching':
      return stepWatching(state, input, chance)
    case 'backingOff':
      return stepBackingOff(state, input)
    default:
      return state satisfies never
  }
}

function stepStreamingList<T extends KubeObject>(
  state: Listing,
  input: WatchInput<T>,
  chance: StepEnv,
): readonly [WatchState, Emit<T>] {
  switch (input.saw) {
    case 'put':
      return [state, { tell: 'listed', objects: [input.object], complete: false }]
    case 'remove':
      return [state, { tell: 'unlisted', object: input.object }]
    case 'bookmark':
      if (input.endOfList && input.version !== undefined)
        return [watching(input.version, state, true), { tell: 'listed', objects: [], complete: true }]
      // A server that knows streaming lists marks their end before it sends any other bookmark.
      return [list(state.why, { ...state, streams: false }), BEGIN]
    case 'silence':
      return [list(state.why, { ...state, streams: false }), BEGIN]
    case 'failure':
      if (input.verdict === 'refused') return [list(state.why, { ...state, streams: false }), BEGIN]
      return [backOff(state, state, chance, input.retryAfterMs), NOTHING]
    case 'ended':
      return [backOff(state, state, chance), NOTHING]
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
  chance: StepEnv,
): readonly [WatchState, Emit<T>] {
  switch (input.saw) {
    case 'page': {
      const complete = input.token === undefined
      const next = complete ? watching(input.version, state, false) : { ...state, token: input.token }
      return [next, { tell: 'listed', objects: input.objects, complete }]
    }
    case 'failure':
      // The token is what expired or was refused: only a list from the start can help.
      if (input.verdict !== 'failed') return [backOff(state, list(state.why, state), chance), NOTHING]
      return [backOff(state, state, chance, input.retryAfterMs), NOTHING]
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
  chance: StepEnv,
): readonly [WatchState, Emit<T>] {
  switch (input.saw) {
    case 'put': {
      const version = input.object.metadata.resourceVersion
      // A stream repeats what came before the version it was resumed from only by mistake; taking it would go back in time.
      if (isNotNewer(version, state.version)) return [heard(state, state.version), NOTHING]
      return [heard(state, version ?? state.version), { tell: 'put', object: input.object }]
    }
    case 'remove':
      // Some servers leave the version of the last change on a deleted object, so its age says nothing here.
      return [
        heard(state, later(state.version, input.object.metadata.resourceVersion)),
        { tell: 'remove', object: input.object },
      ]
    case 'bookmark':
      if (isOlder(input.version, state.version)) return [listSoon('rewound', state, chance), NOTHING]
      return [heard(state, input.version ?? state.version), NOTHING]
    case 'ended':
      // One that ends before it said anything would be opened again and again without a pause.
      return state.heard ? [{ ...state, heard: false }, NOTHING] : [backOff(state, state, chance), NOTHING]
    case 'silence':
      // It was accepted and lasted, so the server is not failing; and the time it took is pause enough if it was dead.
      return [{ ...state, heard: false, failures: 0 }, NOTHING]
    case 'failure':
      if (input.verdict === 'failed') return [backOff(state, state, chance, input.retryAfterMs), NOTHING]
      return [listSoon('expired', state, chance), NOTHING]
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

function list(why: ListReason, { streams, failures }: Memory): Listing {
  return streams
    ? { at: 'streamingList', why, streams, failures }
    : { at: 'pagedList', why, token: undefined, streams, failures }
}

/** The failures are forgotten by what the watch delivers, not by a list: otherwise a server that lists but never watches would be listed without end. */
const watching = (version: string, { streams, failures }: Memory, alive: boolean): Watching => ({
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

const listSoon = (why: ListReason, state: Memory, chance: StepEnv): BackingOff =>
  backOff(state, list(why, state), chance, Math.round(chance.random() * RELIST_SPREAD_MS), state.failures === 0)

/** `atOnce` leaves out the growing pause and keeps only the given one. */
function backOff(
  from: Memory,
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
