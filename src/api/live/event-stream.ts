import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Clock } from '../../kernel/index.ts'
import type { Identity } from '../auth/identity.ts'
import type { EventView } from '../contract/index.ts'
import { maySee, type Audience, type Events, type Reader } from './events.ts'

export interface EventStreams {
  /** `prove` authenticates the caller again. */
  open(
    response: ServerResponse,
    headers: OutgoingHttpHeaders,
    caller: Identity,
    prove: () => Promise<Identity | undefined>,
    lastId: string | undefined,
  ): void
  /** How many are open, of all callers or of one. */
  count(userId?: string): number
  closeAll(): void
}

/** Also how soon a stream ends after its credentials were revoked or its user was demoted. */
const HEARTBEAT_MS = 15_000
/** Bounds what a stream can miss unnoticed. */
const LONGEST_MS = 15 * 60_000
/** A reader this far behind is cut off: it comes back with the last id it saw, and memory stays bounded. */
const MOST_UNSENT_BYTES = 1024 ** 2

/**
 * `text/event-stream` to any number of readers. Resumes after `lastId`, or says `reset` when that is too long ago.
 *
 * The tenants of a reader are read when a stream opens and whenever they may have changed. A stream is closed if that
 * fails: its client comes back.
 */
export function eventStreams(
  events: Events,
  clock: Clock,
  readerOf: (caller: Identity) => Promise<Reader>,
  onError: (error: unknown) => void,
): EventStreams {
  /** How to close each stream, and whose it is. */
  const open = new Map<() => void, string>()
  return {
    count: (userId) =>
      userId === undefined ? open.size : [...open.values()].filter((whose) => whose === userId).length,
    closeAll: () => [...open.keys()].forEach((close) => close()),
    open(response, headers, caller, prove, lastId) {
      let reader: Reader = { ...caller, tenants: [] }
      const read = async (): Promise<void> => {
        reader = await readerOf(caller)
      }
      // One after the other: events wait while tenants are read.
      let last = Promise.resolve()
      const inTurn = (work: () => Promise<void> | void): void => {
        last = last
          .then(() => (open.has(close) ? work() : undefined))
          .catch((error: unknown) => {
            if (open.has(close)) onError(error)
            close()
          })
      }
      const write = (text: string): void => {
        if (response.writableLength > MOST_UNSENT_BYTES) return close()
        response.write(text)
      }
      const send = (event: EventView): void =>
        write(`id: ${event.id}\nevent: change\ndata: ${JSON.stringify(event)}\n\n`)
      const deliver = (event: EventView, audience: Audience): void =>
        inTurn(() => {
          if (maySee(reader, audience)) send(event)
        })
      const stopListening = events.onPublish(deliver)
      const stopFollowing = events.onChangeTenants((of) =>
        inTurn(async () => {
          if (of === undefined || reader.tenants.includes(of)) await read()
        }),
      )
      const endUnlessSame = async (): Promise<void> => {
        const now = await prove()
        if (now?.userId !== caller.userId || now.role !== caller.role) close()
      }
      let cancelBeat = (): void => {}
      const beat = (): void => {
        cancelBeat = clock.after(HEARTBEAT_MS, () => {
          inTurn(endUnlessSame)
          beat()
        })
        write(`event: heartbeat\ndata: ${JSON.stringify({ at: new Date(clock.now()).toISOString() })}\n\n`)
      }
      const cancelEnd = clock.after(LONGEST_MS, () => close())
      const close = (): void => {
        if (!open.delete(close)) return
        stopListening()
        stopFollowing()
        cancelBeat()
        cancelEnd()
        response.end()
      }
      open.set(close, caller.userId)
      response.on('close', close)
      response.on('error', close)

      response.writeHead(200, {
        ...headers,
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
      })
      write('retry: 1000\n\n')
      inTurn(read)
      const missed = lastId === undefined ? [] : events.after(lastId)
      if (missed === 'tooOld') write('event: reset\ndata: {}\n\n')
      else missed.forEach(({ event, audience }) => deliver(event, audience))
      beat()
    },
  }
}
