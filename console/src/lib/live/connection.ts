/*
 * The state of the line to the API, as a machine without effects.
 *
 *        opened, ended                 failed, silent
 *  connecting ◀────▶ connected ───────────────────────▶ waiting ──┐
 *      ▲  │ failed                                        ▲  │    │ retryAt reached (tick), hurry
 *      │  └───────────────────────────────────────────────┘  │    │
 *      └─────────────────────────────────────────────────────┴────┘
 *  any ── networkLost ─▶ offline ── networkBack ─▶ connecting          any ── refused ─▶ refused (login needed)
 */

export type Connection =
  | { readonly kind: 'connecting'; readonly since: number; readonly attempt: number }
  | { readonly kind: 'connected'; readonly since: number; readonly heardAt: number }
  | { readonly kind: 'waiting'; readonly since: number; readonly attempt: number; readonly retryAt: number }
  | { readonly kind: 'offline'; readonly since: number }
  | { readonly kind: 'refused'; readonly since: number }

export type ConnectionEvent =
  | { readonly type: 'opened' }
  /** Anything received, heartbeats included. */
  | { readonly type: 'heard' }
  | { readonly type: 'failed' }
  /** The API closed the stream in good order, as it does from time to time to see the login again. */
  | { readonly type: 'ended' }
  /** The API does not know us: trying again is pointless before a login. */
  | { readonly type: 'refused' }
  | { readonly type: 'networkLost' }
  | { readonly type: 'networkBack' }
  /** The user does not want to wait for the countdown. */
  | { readonly type: 'hurry' }
  /** Time passed; sent about once a second. */
  | { readonly type: 'tick' }

/** Two heartbeats of 15 s may get lost before the line counts as dead. */
export const SILENCE_MS = 40_000
/** A stream that ended sooner than this is a failure: reconnecting at once would go round in circles. */
const SHORTEST_STREAM_MS = 5_000
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 30_000

export const connecting = (now: number): Connection => ({ kind: 'connecting', since: now, attempt: 0 })

/** 1, 2, 4 … 30 s. No jitter: one browser is no herd, and the countdown should be a round number. */
export const retryDelay = (attempt: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempt, 10), LONGEST_RETRY_MS)

/** Returns the same object when nothing changes, so that nothing is drawn again. */
export function step(state: Connection, event: ConnectionEvent, now: number): Connection {
  switch (event.type) {
    case 'opened':
      return state.kind === 'connecting' ? { kind: 'connected', since: now, heardAt: now } : state
    case 'heard':
      return state.kind === 'connected' ? { ...state, heardAt: now } : state
    case 'failed':
      return lost(state, now)
    case 'ended':
      return state.kind === 'connected' && now - state.since >= SHORTEST_STREAM_MS ? connecting(now) : lost(state, now)
    case 'refused':
      return state.kind === 'refused' ? state : { kind: 'refused', since: now }
    case 'networkLost':
      return state.kind === 'offline' || state.kind === 'refused' ? state : { kind: 'offline', since: now }
    case 'networkBack':
      return state.kind === 'offline' ? connecting(now) : state
    case 'hurry':
      return state.kind === 'waiting' ? { kind: 'connecting', since: now, attempt: state.attempt } : state
    case 'tick':
      return ticked(state, now)
    default:
      return event satisfies never
  }
}

function lost(state: Connection, now: number): Connection {
  if (state.kind === 'connecting') {
    const attempt = state.attempt + 1
    return { kind: 'waiting', since: now, attempt, retryAt: now + retryDelay(attempt) }
  }
  if (state.kind === 'connected') return { kind: 'waiting', since: now, attempt: 0, retryAt: now + retryDelay(0) }
  return state
}

function ticked(state: Connection, now: number): Connection {
  if (state.kind === 'connected' && now - state.heardAt >= SILENCE_MS) return lost(state, now)
  if (state.kind === 'waiting' && now >= state.retryAt)
    return { kind: 'connecting', since: now, attempt: state.attempt }
  return state
}

export interface ConnectionLabel {
  readonly tone: 'good' | 'wait' | 'bad'
  readonly word: string
  /** A sentence for tooltips and screen readers; has no running numbers, so it is not announced every second. */
  readonly sentence: string
}

export function connectionLabel(state: Connection, now: number): ConnectionLabel {
  switch (state.kind) {
    case 'connected':
      return { tone: 'good', word: 'Live', sentence: 'Connected. Changes appear by themselves.' }
    case 'connecting':
      return { tone: 'wait', word: 'Connecting', sentence: 'Connecting to live changes.' }
    case 'waiting': {
      const seconds = Math.max(0, Math.ceil((state.retryAt - now) / 1_000))
      return {
        tone: 'wait',
        word: `Reconnecting in ${seconds} s`,
        sentence: 'Connection lost. Reconnecting; what you see may be old.',
      }
    }
    case 'offline':
      return { tone: 'bad', word: 'Offline', sentence: 'This device is offline. What you see may be old.' }
    case 'refused':
      return { tone: 'bad', word: 'Signed out', sentence: 'The session has ended. Sign in again.' }
    default:
      return state satisfies never
  }
}
