import type { Service } from '../../kernel/index.ts'
import type { App } from '../app.ts'
import type { Readiness } from '../readiness.ts'

export interface Address {
  readonly host: string
  readonly port: number
  /** Listen on a free port when this one is taken. For defaults only. */
  readonly orAnyPort: boolean
}

export interface HttpService extends Service {
  /** Where it listens, such as http://127.0.0.1:8080; known after the start. */
  url(): string
}

/**
 * Listens until it is stopped. Stopping says "not ready" first, refuses new connections, ends event streams, and lets
 * running requests finish for at most `graceMs`.
 */
export function httpService(app: App, address: Address, readiness: Readiness, graceMs: number): HttpService {
  const ended = Promise.withResolvers<void>()
  let url: string | undefined
  let stopping: Promise<void> | undefined

  const stop = async (): Promise<void> => {
    readiness.stopping()
    const closed = app.close()
    const timer = setTimeout(() => app.server.closeAllConnections(), graceMs)
    await closed
    clearTimeout(timer)
    ended.resolve()
  }
  return {
    name: 'http server',
    done: ended.promise,
    url: () => url ?? `http://${inUrl(address.host)}:${address.port}`,
    async start() {
      await listen(app, address)
      const bound = app.server.address()
      const port = typeof bound === 'object' && bound !== null ? bound.port : address.port
      url = `http://${inUrl(address.host)}:${port}`
    },
    stop: () => (stopping ??= stop()),
  }
}

async function listen(app: App, { host, port, orAnyPort }: Address): Promise<void> {
  try {
    await app.listen({ host, port, listenTextResolver: () => 'Listening' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    if (!orAnyPort) {
      const hint = 'stop what listens there, or set CAELUS_PORT to another port (0 picks a free one)'
      throw new Error(`failed to listen on ${host}:${port}, which is taken: ${hint}`, { cause: error })
    }
    await app.listen({ host, port: 0, listenTextResolver: () => 'Listening' })
  }
}

const inUrl = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host)
