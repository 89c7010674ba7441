import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../src/kernel/index.ts'
import { httpTransport, type HttpOptions, type HttpTransport, type KubeConfig } from '../../src/kube/index.ts'

export type Answer = (request: IncomingMessage, response: ServerResponse, nth: number) => void | Promise<void>

export interface Loopback extends AsyncDisposable {
  readonly url: string
  /** What arrived, in order. */
  readonly seen: readonly IncomingMessage[]
  readonly transport: HttpTransport
}

/** A server that misbehaves as told, and a transport to it. `answer` gets the number of the request, from 1. */
export async function loopback(
  answer: Answer,
  options: HttpOptions = {},
  config: Partial<KubeConfig> = {},
): Promise<Loopback> {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => void answer(request, response, seen.push(request)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const transport = httpTransport({ ...anonymous(url), ...config }, { silentAfterMs: 30_000, ...options })
  return {
    url,
    seen,
    transport,
    async [Symbol.asyncDispose]() {
      await transport.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export const anonymous = (server: string): KubeConfig => ({
  context: 'test',
  server,
  namespace: 'default',
  tls: { insecure: false },
  credentials: { kind: 'anonymous', current: () => Promise.resolve({}), refused: () => false },
})

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** Time limits never run out, and every pause is over at once but noted. */
export function impatientClock(): Clock & { readonly pauses: readonly number[] } {
  const pauses: number[] = []
  return {
    pauses,
    now: () => 0,
    elapsed: () => 0,
    after(ms, fn) {
      if (ms >= 30_000) return () => {}
      pauses.push(ms)
      const timer = setImmediate(fn)
      return () => clearImmediate(timer)
    },
  }
}
