import { httpService, type HttpService } from '../../src/api/index.ts'
import { world, type World, type WorldOptions } from './world.ts'

export interface Listening extends World {
  readonly http: HttpService
}

/** The server on a port of its own. */
export async function listening(options: WorldOptions = {}): Promise<Listening> {
  const w = await world(options)
  const http = httpService(w.app, { host: '127.0.0.1', port: 0, orAnyPort: false }, w.readiness, 60_000)
  await http.start()
  return {
    ...w,
    http,
    async [Symbol.asyncDispose]() {
      await http.stop()
      await w[Symbol.asyncDispose]()
    },
  }
}

/** Reads a stream event by event. */
export async function stream(w: Listening, secret: string, lastId?: string) {
  const response = await fetch(`${w.http.url()}/api/v1/events/stream`, {
    headers: { authorization: `Bearer ${secret}`, ...(lastId !== undefined && { 'last-event-id': lastId }) },
    signal: AbortSignal.timeout(60_000),
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    response,
    /** The next event of this name, as its fields; undefined when the stream ended first. */
    async next(name: string): Promise<Record<string, string> | undefined> {
      for (;;) {
        const end = text.indexOf('\n\n')
        if (end === -1) {
          const piece = await reader?.read()
          if (piece === undefined || piece.done) return undefined
          text += piece.value
          continue
        }
        const fields = Object.fromEntries(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => line.split(/: (.*)/s).slice(0, 2)),
        ) as Record<string, string>
        text = text.slice(end + 2)
        if (fields['event'] === name) return fields
      }
    },
  }
}
