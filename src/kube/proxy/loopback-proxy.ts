import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import type { Dispatcher } from '../../http/connections/index.ts'
import { collect, NO_OTHER_TIMEOUTS } from '../../http/index.ts'
import type { Identity } from '../client/client.ts'
import type { KubeConfig } from '../config/config.ts'
import type { Credentials } from '../config/credentials.ts'
import { ConnectionPools } from '../transport/pools.ts'
import { impersonationHeaders } from '../transport/wrap.ts'

/** A request of the program behind the proxy, complete. */
export interface ProxiedRequest {
  readonly method: string
  /** As it was sent, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

/** An answer of ours instead of one of the API server. Sent as JSON. */
export interface OwnAnswer {
  readonly status: number
  readonly body: unknown
}

export interface SessionOptions {
  /** As whom every request of the session is sent. @default as the kubeconfig says */
  readonly as?: Identity | undefined
  /** Asked before a request is forwarded. An answer is sent instead of forwarding it. */
  readonly judge: (request: ProxiedRequest) => OwnAnswer | undefined | Promise<OwnAnswer | undefined>
}

export interface ProxySession extends AsyncDisposable {
  /** The URL of the API server for the program. A caller that knows it has the rights of the session until it is closed. */
  readonly server: string
}

export interface LoopbackProxy extends AsyncDisposable {
  open(options: SessionOptions): Promise<ProxySession>
}

/** API servers accept 3 MiB. */
const MAX_REQUEST_BYTES = 8 * 1024 ** 2
const TOKEN_BYTES = 32

/** Of a request; everything else, above all who asks, is ours to say. */
const FORWARDED = ['accept', 'accept-encoding', 'content-type', 'user-agent', 'if-none-match', 'if-modified-since']
/** Of an answer: about the connection to us, not about the content. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'trailer'])

/**
 * Lets programs use an API server without giving them credentials. They get a URL on the loopback interface that contains
 * a random token, one for each session. The proxy adds the credentials of the kubeconfig and the identity of the session,
 * and drops what the program says about itself. Answers are streamed; a redirect becomes a 502, because the API server of
 * somebody else must not choose the addresses that programs here connect to.
 *
 * The token is in the path because programs built with client-go send no credentials without TLS.
 */
export function loopbackProxy(config: KubeConfig): LoopbackProxy {
  const pools = new ConnectionPools(config, null)
  const { origin, pathname } = new URL(config.server)
  const prefix = pathname.replace(/\/+$/, '')
  const sessions = new Map<string, Session>()
  let listening: Promise<Server> | undefined

  const listen = (): Promise<Server> =>
    new Promise((resolve, reject) => {
      const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, (request, response) => {
        void serve(request, response).catch(() => response.destroy())
      })
      server.once('error', reject)
      server.listen(0, '127.0.0.1', () => resolve(server.unref()))
    })

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, token, rest] = /^\/([0-9a-f]+)(\/.*)$/.exec(incoming.url ?? '') ?? []
    const session = sessions.get(token ?? '')
    if (session === undefined || rest === undefined)
      return answer(response, { status: 401, body: status(401, 'Unauthorized', 'this session is over') })
    using turn = session.enter(response)
    const body = await collect(incoming, MAX_REQUEST_BYTES)
    const { pathname: path, search, searchParams: query } = new URL(`${origin}${rest}`)
    // A URL parser resolves dots; what is judged must be what is sent.
    if (path + search !== rest)
      return answer(response, { status: 400, body: status(400, 'BadRequest', 'the path is not in normal form') })
    const method = incoming.method ?? 'GET'
    const headers = incoming.headers as Record<string, string | undefined>
    const own = await session.options.judge({ method, path, query, headers, body })
    if (own !== undefined) return answer(response, own)
    const upstream = await forward(session, { method, path: prefix + rest, headers, body }, turn.signal)
    if (isRedirect(upstream.statusCode)) {
      // Ends with the answer to the program, however slowly the body arrives.
      void upstream.body.dump().catch(() => {})
      const message = `the API server answered ${upstream.statusCode}, and redirects are not followed`
      return answer(response, { status: 502, body: status(502, 'BadGateway', message) })
    }
    response.writeHead(upstream.statusCode, withoutHops(upstream.headers))
    response.flushHeaders()
    await pipeline(upstream.body, response)
  }

  async function forward(
    { options: { as } }: Session,
    request: {
      readonly method: string
      readonly path: string
      readonly headers: ProxiedRequest['headers']
      readonly body: Buffer
    },
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const send = (credentials: Credentials): Promise<Dispatcher.ResponseData> => {
      const headers: Record<string, string | string[]> = { ...impersonationHeaders(as ?? config.impersonate) }
      for (const name of FORWARDED) if (request.headers[name] !== undefined) headers[name] = request.headers[name]
      if (credentials.authorization !== undefined) headers.authorization = credentials.authorization
      return pools.for(credentials).streams.request({
        origin,
        path: request.path,
        method: request.method,
        headers,
        body: request.body.length === 0 ? null : request.body,
        signal,
        ...NO_OTHER_TIMEOUTS,
      })
    }
    const credentials = await config.credentials.current()
    const first = await send(credentials)
    if (first.statusCode !== 401 || !config.credentials.refused(credentials)) return first
    await first.body.dump()
    return send(await config.credentials.current())
  }

  return {
    async open(options) {
      const { port } = (await (listening ??= listen())).address() as AddressInfo
      const token = randomBytes(TOKEN_BYTES).toString('hex')
      const session = new Session(options)
      sessions.set(token, session)
      return {
        server: `http://127.0.0.1:${port}/${token}`,
        async [Symbol.asyncDispose]() {
          sessions.delete(token)
          session.end()
        },
      }
    },
    async [Symbol.asyncDispose]() {
      for (const session of sessions.values()) session.end()
      sessions.clear()
      const server = await listening?.catch(() => undefined)
      server?.close()
      server?.closeAllConnections()
      await pools.close()
    },
  }
}

/** Ends what is under way when it ends. */
class Session {
  readonly options: SessionOptions
  readonly #open = new Set<() => void>()

  constructor(options: SessionOptions) {
    this.options = options
  }

  enter(response: ServerResponse): { readonly signal: AbortSignal } & Disposable {
    const over = new AbortController()
    const hangUp = (): void => {
      over.abort()
      response.destroy()
    }
    const leave = (): void => void this.#open.delete(hangUp)
    this.#open.add(hangUp)
    // The program has exited and does not read the rest.
    response.once('close', () => over.abort())
    return { signal: over.signal, [Symbol.dispose]: leave }
  }

  end(): void {
    for (const hangUp of this.#open) hangUp()
  }
}

function answer(response: ServerResponse, { status: code, body }: OwnAnswer): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** A client-go program would follow it to any address that the API server names. 304 answers a conditional request. */
const isRedirect = (code: number): boolean => code >= 300 && code < 400 && code !== 304

/** A refusal in the words of the API. */
export const status = (code: number, reason: string, message: string): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  code,
})

const withoutHops = (headers: Dispatcher.ResponseData['headers']): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] => !HOP_BY_HOP.has(entry[0]) && entry[1] !== undefined,
    ),
  )
