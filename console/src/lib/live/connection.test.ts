import { describe, expect, test } from 'vitest'
import { connecting, connectionLabel, retryDelay, SILENCE_MS, step } from './connection.ts'
import type { Connection, ConnectionEvent } from './connection.ts'

const NOW = 100_000
const STATES: Record<Connection['kind'], Connection> = {
  connecting: { kind: 'connecting', since: 1, attempt: 2 },
  connected: { kind: 'connected', since: 1, heardAt: NOW - 5_000 },
  waiting: { kind: 'waiting', since: 1, attempt: 2, retryAt: NOW + 3_000 },
  offline: { kind: 'offline', since: 1 },
  refused: { kind: 'refused', since: 1 },
}

/** Every state against every event; no cell may be forgotten. */
const TABLE: Record<Connection['kind'], Record<ConnectionEvent['type'], Connection['kind']>> = {
  connecting: {
    opened: 'connected',
    heard: 'connecting',
    failed: 'waiting',
    ended: 'waiting',
    refused: 'refused',
    networkLost: 'offline',
    networkBack: 'connecting',
    hurry: 'connecting',
    tick: 'connecting',
  },
  connected: {
    opened: 'connected',
    heard: 'connected',
    failed: 'waiting',
    ended: 'connecting',
    refused: 'refused',
    networkLost: 'offline',
    networkBack: 'connected',
    hurry: 'connected',
    tick: 'connected',
  },
  waiting: {
    opened: 'waiting',
    heard: 'waiting',
    failed: 'waiting',
    ended: 'waiting',
    refused: 'refused',
    networkLost: 'offline',
    networkBack: 'waiting',
    hurry: 'connecting',
    tick: 'waiting',
  },
  offline: {
    opened: 'offline',
    heard: 'offline',
    failed: 'offline',
    ended: 'offline',
    refused: 'refused',
    networkLost: 'offline',
    networkBack: 'connecting',
    hurry: 'offline',
    tick: 'offline',
  },
  refused: {
    opened: 'refused',
    heard: 'refused',
    failed: 'refused',
    ended: 'refused',
    refused: 'refused',
    networkLost: 'refused',
    networkBack: 'refused',
    hurry: 'refused',
    tick: 'refused',
  },
}

describe('the connection', () => {
  const cells = Object.entries(TABLE).flatMap(([from, row]) =>
    Object.entries(row).map(
      ([event, to]) => [from, event, to] as [Connection['kind'], ConnectionEvent['type'], Connection['kind']],
    ),
  )
  test.each(cells)('%s, on %s: %s', (from, type, to) => {
    const next = step(STATES[from], { type }, NOW)
    expect(next.kind).toBe(to)
    if (from === to && type !== 'heard') expect(next).toBe(STATES[from])
  })

  test('is lost when nothing was heard for too long', () => {
    const connected: Connection = { kind: 'connected', since: 0, heardAt: 0 }
    expect(step(connected, { type: 'tick' }, SILENCE_MS - 1).kind).toBe('connected')
    expect(step(connected, { type: 'tick' }, SILENCE_MS)).toEqual({
      kind: 'waiting',
      since: SILENCE_MS,
      attempt: 0,
      retryAt: SILENCE_MS + 1_000,
    })
  })

  test('a stream that ends as soon as it is open counts as failed', () => {
    const connected: Connection = { kind: 'connected', since: NOW - 100, heardAt: NOW }
    expect(step(connected, { type: 'ended' }, NOW).kind).toBe('waiting')
  })

  test('waits longer after each failed try, and from the start again after a success', () => {
    let state = connecting(0)
    const waits: number[] = []
    let now = 0
    for (let attempt = 0; attempt < 7; attempt++) {
      state = step(state, { type: 'failed' }, now)
      if (state.kind !== 'waiting') throw new Error(`expected waiting, got ${state.kind}`)
      waits.push(state.retryAt - now)
      now = state.retryAt
      state = step(state, { type: 'tick' }, now)
    }
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    state = step(step(state, { type: 'opened' }, now), { type: 'failed' }, now)
    expect(state).toMatchObject({ kind: 'waiting', retryAt: now + retryDelay(0) })
  })

  test('counts down in its label, and keeps the sentence still', () => {
    const at = (now: number) => connectionLabel(STATES.waiting, now)
    expect([at(NOW).word, at(NOW + 1_200).word, at(NOW + 9_000).word]).toEqual([
      'Reconnecting in 3 s',
      'Reconnecting in 2 s',
      'Reconnecting in 0 s',
    ])
    expect(at(NOW).sentence).toBe(at(NOW + 1_200).sentence)
  })
})
