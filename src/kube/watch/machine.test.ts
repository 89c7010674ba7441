import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../objects.ts'
import { firstState, step, WATCH_BACKOFF, type Emit, type WatchInput, type WatchState } from './machine.ts'

const object = (resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', uid: 'u', resourceVersion },
})

const memory = { streams: true, failures: 0 }
const paged = { at: 'pagedList', why: 'first', streams: false, failures: 0 } as const
const watchingTen = { ...memory, at: 'watching', version: '10', heard: true } as const

const STATES = {
  streamingList: { ...memory, at: 'streamingList', why: 'first' },
  firstPage: { ...paged, token: undefined },
  laterPage: { ...paged, token: 'p2' },
  watching: watchingTen,
  watchingUnheard: { ...watchingTen, heard: false },
  waitingToWatch: { ...memory, at: 'backingOff', until: 99, then: watchingTen },
  waitingToList: { ...memory, at: 'backingOff', until: 99, then: { ...memory, at: 'streamingList', why: 'expired' } },
  waitingForPage: { ...memory, at: 'backingOff', until: 99, then: { ...paged, token: 'p2' } },
} satisfies Record<string, WatchState>

const failure = { saw: 'failure', retryAfterMs: undefined } as const
const INPUTS = {
  put: { saw: 'put', object: object('12') },
  oldPut: { saw: 'put', object: object('9') },
  remove: { saw: 'remove', object: object('12') },
  bookmark: { saw: 'bookmark', version: '15', endOfList: false },
  oldBookmark: { saw: 'bookmark', version: '9', endOfList: false },
  endOfList: { saw: 'bookmark', version: '15', endOfList: true },
  page: { saw: 'page', objects: [], version: '14', token: 'p9' },
  lastPage: { saw: 'page', objects: [], version: '14', token: undefined },
  ended: { saw: 'ended' },
  silence: { saw: 'silence' },
  expired: { ...failure, verdict: 'expired' },
  refused: { ...failure, verdict: 'refused' },
  failed: { ...failure, verdict: 'failed' },
  due: { saw: 'due' },
  asked: { saw: 'asked', why: 'audit' },
} satisfies Record<string, WatchInput<KubeObject>>

const same = 'same'

/** Where it goes and what it tells. No Partial: a forgotten cell does not compile, and `same` is a decision too. */
const TABLE: Record<keyof typeof STATES, Record<keyof typeof INPUTS, string>> = {
  streamingList: {
    put: 'streamingList first, listed',
    oldPut: 'streamingList first, listed',
    remove: 'streamingList first, unlisted',
    bookmark: 'pagedList first, begin',
    oldBookmark: 'pagedList first, begin',
    endOfList: 'watching 15, complete',
    page: same,
    lastPage: same,
    ended: 'wait for streamingList first',
    silence: 'pagedList first, begin',
    expired: 'wait for streamingList first',
    refused: 'pagedList first, begin',
    failed: 'wait for streamingList first',
    due: same,
    asked: same,
  },
  firstPage: {
    put: same,
    oldPut: same,
    remove: same,
    bookmark: same,
    oldBookmark: same,
    endOfList: same,
    page: 'pagedList first from p9, listed',
    lastPage: 'watching 14 unheard, complete',
    ended: same,
    silence: same,
    expired: 'wait for pagedList first',
    refused: 'wait for pagedList first',
    failed: 'wait for pagedList first',
    due: same,
    asked: same,
  },
  laterPage: {
    put: same,
    oldPut: same,
    remove: same,
    bookmark: same,
    oldBookmark: same,
    endOfList: same,
    page: 'pagedList first from p9, listed',
    lastPage: 'watching 14 unheard, complete',
    ended: same,
    silence: same,
    expired: 'wait for pagedList first',
    refused: 'wait for pagedList first',
    failed: 'wait for pagedList first from p2',
    due: same,
    asked: same,
  },
  watching: {
    put: 'watching 12, put',
    oldPut: same,
    remove: 'watching 12, remove',
    bookmark: 'watching 15',
    oldBookmark: 'wait for streamingList rewound',
    endOfList: 'watching 15',
    page: same,
    lastPage: same,
    ended: 'watching 10 unheard',
    silence: 'watching 10 unheard',
    expired: 'wait for streamingList expired',
    refused: 'wait for streamingList expired',
    failed: 'wait for watching 10 unheard',
    due: same,
    asked: 'streamingList audit, begin',
  },
  watchingUnheard: {
    put: 'watching 12, put',
    oldPut: 'watching 10',
    remove: 'watching 12, remove',
    bookmark: 'watching 15',
    oldBookmark: 'wait for streamingList rewound',
    endOfList: 'watching 15',
    page: same,
    lastPage: same,
    ended: 'wait for watching 10 unheard',
    silence: 'watching 10 unheard',
    expired: 'wait for streamingList expired',
    refused: 'wait for streamingList expired',
    failed: 'wait for watching 10 unheard',
    due: same,
    asked: 'streamingList audit, begin',
  },
  waitingToWatch: {
    put: same,
    oldPut: same,
    remove: same,
    bookmark: same,
    oldBookmark: same,
    endOfList: same,
    page: same,
    lastPage: same,
    ended: same,
    silence: same,
    expired: same,
    refused: same,
    failed: same,
    due: 'watching 10',
    asked: 'wait for streamingList audit',
  },
  waitingToList: {
    put: same,
    oldPut: same,
    remove: same,
    bookmark: same,
    oldBookmark: same,
    endOfList: same,
    page: same,
    lastPage: same,
    ended: same,
    silence: same,
    expired: same,
    refused: same,
    failed: same,
    due: 'streamingList expired, begin',
    asked: same,
  },
  waitingForPage: {
    put: same,
    oldPut: same,
    remove: same,
    bookmark: same,
    oldBookmark: same,
    endOfList: same,
    page: same,
    lastPage: same,
    ended: same,
    silence: same,
    expired: same,
    refused: same,
    failed: same,
    due: 'pagedList first from p2',
    asked: same,
  },
}

function place(state: WatchState): string {
  switch (state.at) {
    case 'streamingList':
      return `streamingList ${state.why}`
    case 'pagedList':
      return `pagedList ${state.why}${state.token === undefined ? '' : ` from ${state.token}`}`
    case 'watching':
      return `watching ${state.version}${state.heard ? '' : ' unheard'}`
    case 'backingOff':
      return `wait for ${place(state.then)}`
    default:
      return state satisfies never
  }
}

const told = (emit: Emit<KubeObject>): string => {
  if (emit.tell === 'nothing') return ''
  return emit.tell === 'listed' && emit.complete ? ', complete' : `, ${emit.tell}`
}

const chance = { now: 1_000, random: () => 0.5 }

describe.each(Object.keys(STATES) as (keyof typeof STATES)[])('%s', (name) => {
  const state: WatchState = STATES[name]
  test.each(Object.entries(TABLE[name]))('%s: %s', (input, expected) => {
    const [next, emit] = step<KubeObject>(state, INPUTS[input as keyof typeof INPUTS], chance)
    if (expected === same) expect([next, emit.tell]).toEqual([state, 'nothing'])
    else expect(place(next) + told(emit)).toBe(expected)
  })
})

const run = (from: WatchState, ...inputs: WatchInput<KubeObject>[]): WatchState =>
  inputs.reduce<WatchState>((state, input) => step(state, input, chance)[0], from)

const pauseOf = (state: WatchState): number => (state.at === 'backingOff' ? state.until - chance.now : 0)

test('a server that cannot stream lists is not asked again', () => {
  const state = run(firstState(true), INPUTS.refused, INPUTS.lastPage, INPUTS.expired, INPUTS.due)
  expect(place(state)).toBe('pagedList expired')
})

test('pauses double up to the cap and start over once a connection lasted', () => {
  let state: WatchState = watchingTen
  const pauses: number[] = []
  for (let i = 0; i < 8; i++) {
    state = run(state, INPUTS.failed)
    pauses.push(pauseOf(state))
    state = run(state, INPUTS.due)
  }
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000])
  expect(pauseOf(run(state, INPUTS.bookmark, INPUTS.failed))).toBe(500)
  expect(pauseOf(run(state, INPUTS.silence, INPUTS.failed))).toBe(500)
})

test('a server that lists but never watches is listed ever more rarely', () => {
  let state: WatchState = watchingTen
  for (let i = 0; i < 10; i++) state = run(state, INPUTS.expired, INPUTS.due, INPUTS.endOfList)
  expect(pauseOf(run(state, INPUTS.expired))).toBe(WATCH_BACKOFF.capMs)
})

test('a first expiry is spread over two seconds instead of backed off', () => {
  const spread = (random: number): number =>
    pauseOf(step(watchingTen, INPUTS.expired, { now: 1_000, random: () => random })[0])
  expect([spread(0), spread(0.5), spread(0.999)]).toEqual([0, 1_000, 1_998])
})

test('the server may ask for a longer pause, within reason', () => {
  const busy = (retryAfterMs: number): WatchInput<KubeObject> => ({ saw: 'failure', verdict: 'failed', retryAfterMs })
  expect(pauseOf(run(watchingTen, busy(7_000)))).toBe(7_000)
  expect(pauseOf(run(watchingTen, busy(3_600_000)))).toBe(30_000)
})
