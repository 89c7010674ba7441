import { Client, escapeIdentifier } from 'pg'
import {
  delayFor,
  jittered,
  service,
  sleep,
  systemClock,
  unlessAborted,
  type Clock,
  type Service,
} from '../kernel/index.ts'
import { classify, isSilence } from './failures.ts'
import { KEEP_ALIVE, silencesOf } from './pool.ts'

export interface ListenerOptions {
  readonly url: string
  readonly applicationName: string
  /** How often the connection is checked. @default 10_000 */
  readonly heartbeatMs?: number
  readonly clock?: Clock
  /** Called for every connection that was lost or refused. The listener reconnects. */
  readonly onLost?: (error: unknown) => void
}

/**
 * Called with the payload, or without one when notifications may have been missed: read the current state
 * then.
 */
export type OnNotice = (payload?: string) => void

export interface Listener extends Service {
  /** Whether notifications arrive now. */
  readonly isListening: boolean
  /** Can be called before and after the start. */
  subscribe(channel: string, onNotice: OnNotice): () => void
}

const RECONNECT = { baseMs: 50, capMs: 3_000 }

/**
 * A dedicated connection for LISTEN, which a pool cannot hold.
 *
 * A connection that breaks, or does not answer a heartbeat, is replaced; then every subscriber is called once
 * without a payload, because notifications in between are lost. `start` resolves when the first connection
 * listens.
 */
export function listener(options: ListenerOptions): Listener {
  const { clock = systemClock, heartbeatMs = 10_000, onLost = () => {} } = options
  const channels = new Map<string, Set<OnNotice>>()
  let client: Client | undefined

  const listenTo = (on: Client, channel: string): Promise<unknown> => on.query(`listen ${escapeIdentifier(channel)}`)

  const mayHaveMissed = (subscribers: ReadonlySet<OnNotice>): void => {
    for (const onNotice of subscribers) onNotice()
  }

  /** Resolves when the connection has ended or the signal aborts. */
  const listenOnce = async (signal: AbortSignal, ready: () => void): Promise<void> => {
    const mine = new Client({
      connectionString: options.url,
      application_name: options.applicationName,
      connectionTimeoutMillis: heartbeatMs,
      query_timeout: heartbeatMs,
      ...KEEP_ALIVE,
    })
    const ended = new Promise<void>((resolve) => mine.once('end', resolve))
    mine.on('error', onLost)
    mine.on('notification', ({ channel, payload }) => {
      for (const onNotice of channels.get(channel) ?? []) onNotice(payload ?? '')
    })
    const close = (): void => void mine.end().catch(() => {})
    const over = new AbortController()
    const listening = async (): Promise<void> => {
      await mine.connect()
      for (const channel of channels.keys()) await listenTo(mine, channel)
      client = mine
      ready()
      for (const subscribers of channels.values()) mayHaveMissed(subscribers)
      await Promise.race([ended, beat(mine, over.signal)])
    }
    try {
      // A server that has gone silent does not confirm the end of a connection.
      await unlessAborted(listening, signal)
    } finally {
      over.abort()
      if (client === mine) client = undefined
      close()
    }
  }

  const beat = async (on: Client, over: AbortSignal): Promise<never> => {
    for (;;) {
      await sleep(clock, heartbeatMs, over)
      await on.query('select 1')
    }
  }

  const run = async (signal: AbortSignal, ready: () => void): Promise<void> => {
    let failures = 0
    while (!signal.aborted) {
      try {
        await listenOnce(signal, () => {
          failures = 0
          ready()
        })
      } catch (error) {
        if (isSilence(error)) silencesOf(options.url).count += 1
        if (!signal.aborted) onLost(classify(error))
      }
      await sleep(clock, jittered(delayFor(++failures, RECONNECT), Math.random), signal).catch(() => {})
    }
  }

  return {
    ...service('notification listener', run),
    get isListening() {
      return client !== undefined
    },
    subscribe(channel, onNotice) {
      const subscribers = channels.get(channel) ?? new Set()
      channels.set(channel, subscribers)
      subscribers.add(onNotice)
      if (subscribers.size === 1 && client !== undefined) {
        // Notifications before LISTEN takes effect are lost. If LISTEN fails, so has the connection, and the
        // next one listens to all channels.
        void listenTo(client, channel).then(
          () => mayHaveMissed(subscribers),
          () => {},
        )
      }
      return () => void subscribers.delete(onNotice)
    },
  }
}
