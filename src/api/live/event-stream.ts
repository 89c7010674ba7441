import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Clock } from '../../kernel/index.ts'
import type { Identity } from '../auth/identity.ts'
import type { EventView } from '../contract/index.ts'
import type { Events } from './events.ts'

export interface EventStreams {
  open(response: ServerResponse, headers: OutgoingHttpHeaders, reader: Identity, lastId: string | undefined): void
  count(): number
  closeAll(): void
}

const HEARTBEAT_MS = 15_000
/** A stream proves its login when it begins; after this it has to prove it again. */
const LONGEST_MS = 15 * 60_000
/** A reader this far behind is cut off: it comes back with the last id it saw, and memory stays bounded. */
const MOST_UNSENT_BYTES = 1024 ** 2

/** `text/event-stream` to any number of readers. Resumes after `lastId`, or says `reset` when that is too long ago. */
export function eventStreams(events: Events, clock: Clock): EventStreams {
  const open = new Set<() => void>()
  return {
    count: () => open.size,
    closeAll: () => [...open].forEach((close) => close()),
    open(response, headers, reader, lastId) {
      const write = (text: string): void => {
        if (response.writableLength > MOST_UNSENT_BYTES) return close()
        response.write(text)
      }
      const send = (event: EventView): void =>
        write(`id: ${event.id}\nevent: change\ndata: ${JSON.stringify(event)}\n\n`)
      const stopListening = events.onPublish((event, audience) => {
        if (audience(reader)) send(event)
      })
      let cancelBeat = (): void => {}
      const beat = (): void => {
        cancelBeat = clock.after(HEARTBEAT_MS, beat)
        write(`event: heartbeat\ndata: ${JSON.stringify({ at: new Date(clock.now()).toISOString() })}\n\n`)
      }
      const cancelEnd = clock.after(LONGEST_MS, () => close())
      const close = (): void => {
        if (!open.delete(close)) return
        stopListening()
        cancelBeat()
        cancelEnd()
        response.end()
      }
      open.add(close)
      response.on('close', close)
      response.on('error', close)

      response.writeHead(200, {
        ...headers,
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
      })
      write('retry: 1000\n\n')
      const missed = lastId === undefined ? [] : events.after(lastId, reader)
      if (missed === 'tooOld') write('event: reset\ndata: {}\n\n')
      else missed.forEach(send)
      beat()
    },
  }
}
