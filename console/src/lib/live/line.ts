import { connecting, step } from './connection.ts'
import type { Connection, ConnectionEvent } from './connection.ts'
import { sseParser } from './sse.ts'
import type { StreamEvent } from './sse.ts'

export interface LineOptions {
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  readonly now: () => number
  /** Calls back about once a second; the result stops it. */
  readonly everySecond: (fn: () => void) => () => void
  /** The line is open: whatever was read before may have missed a change. */
  readonly onOpen: () => void
  readonly onEvent: (event: StreamEvent) => void
  readonly onRefused: () => void
}

/** The live line to the API: holds the stream open, and knows the state of the connection. */
export interface Line {
  start(): void
  stop(): void
  hurry(): void
  networkChanged(online: boolean): void
  readonly state: () => Connection
  readonly subscribe: (listener: () => void) => () => void
}

export function line(options: LineOptions): Line {
  const { now, onOpen, onEvent, onRefused } = options
  const listeners = new Set<() => void>()
  let state: Connection = connecting(now())
  let lastId: string | undefined
  let stream: AbortController | undefined
  let stopTicking: (() => void) | undefined

  const dispatch = (event: ConnectionEvent): void => {
    const before = state
    state = step(state, event, now())
    if (state === before) return
    if (state.kind !== before.kind) enter(state)
    tellAll()
  }

  const tellAll = (): void => {
    for (const listener of listeners) listener()
  }

  const enter = (next: Connection): void => {
    if (next.kind === 'connected') return onOpen()
    stream?.abort()
    stream = undefined
    if (next.kind === 'connecting') open()
    if (next.kind === 'refused') onRefused()
  }

  const open = (): void => {
    const mine = new AbortController()
    stream = mine
    const ifMine = (event: ConnectionEvent): void => {
      if (stream === mine) dispatch(event)
    }
    read(mine.signal, ifMine).then(
      (status) => ifMine({ type: status === 401 ? 'refused' : status === 200 ? 'ended' : 'failed' }),
      () => ifMine({ type: 'failed' }),
    )
  }

  /** Settles when the stream has ended, with the status it was answered with. */
  const read = async (signal: AbortSignal, tell: (event: ConnectionEvent) => void): Promise<number> => {
    const response = await options.fetch(options.url, {
      signal,
      credentials: 'same-origin',
      headers: { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) },
    })
    if (!response.ok || response.body === null) {
      await response.body?.cancel()
      return response.status
    }
    tell({ type: 'opened' })
    const parser = sseParser()
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      tell({ type: 'heard' })
      for (const event of parser.push(piece.value)) {
        lastId = event.id ?? lastId
        onEvent(event)
      }
    }
    return response.status
  }

  return {
    start() {
      if (stopTicking !== undefined) return
      stopTicking = options.everySecond(() => dispatch({ type: 'tick' }))
      state = connecting(now())
      tellAll()
      open()
    },
    stop() {
      stopTicking?.()
      stopTicking = undefined
      stream?.abort()
      stream = undefined
    },
    hurry: () => dispatch({ type: 'hurry' }),
    networkChanged: (online) => dispatch({ type: online ? 'networkBack' : 'networkLost' }),
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
