import { Pool, ProxyAgent, type Dispatcher } from 'undici'
import { FailureError, messageOf, sleep, systemClock, type Clock } from '../../kernel/index.ts'
import type { KubeConfig } from '../config/config.ts'
import type { Credentials } from '../config/credentials.ts'
import { Deadline } from './deadline.ts'
import { errorOf, raise } from '../errors.ts'
import { exchange, type Answer, type Headers } from './exchange.ts'
import { linesOf } from './lines.ts'
import type { KubeRequest, KubeResponse, Transport } from './transport.ts'
import { impersonate } from './wrap.ts'

export interface HttpOptions {
  /** Requests under way at once; more of them wait. Watches are not counted. @default 32 */
  readonly connections?: number
  /** Watches open at once. @default 256 */
  readonly streams?: number
  /** Sent as User-Agent; the server's audit log shows it. @default caelus */
  readonly userAgent?: string
  readonly clock?: Clock
  /** For the spread of waiting times. @default Math.random */
  readonly random?: () => number
}

export interface HttpTransport extends Transport {
  /** Ends what is under way and lets go of the connections. */
  close(): Promise<void>
}

const TIMEOUT_MS = 30_000
/** Below the 90 s after which an API server closes an idle connection: we let go first, so a write never meets a closing one. */
const KEEP_ALIVE_MS = 60_000
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** The way to an API server over HTTP/1.1 with kept connections; watches have connections of their own. */
export function httpTransport(config: KubeConfig, options: HttpOptions = {}): HttpTransport {
  const { clock = systemClock, random = Math.random, userAgent = 'caelus' } = options
  const { origin, pathname } = new URL(config.server)
  const prefix = pathname === '/' ? '' : pathname
  const roads = new ConnectionPools(config, options)

  const optionsFor = (request: KubeRequest, { authorization }: Credentials): Dispatcher.RequestOptions => {
    request.beforeSend?.()
    const headers: Record<string, string | string[]> = {
      accept: request.accept ?? 'application/json',
      'user-agent': userAgent,
      ...(request.headers as Record<string, string | string[]> | undefined),
    }
    if (authorization !== undefined) headers.authorization = authorization
    if (request.body !== undefined) headers['content-type'] = request.contentType ?? 'application/json'
    return {
      origin,
      path: prefix + request.path + queryText(request.query),
      method: request.method,
      headers,
      body: request.body === undefined ? null : JSON.stringify(request.body),
      // The one timer of the deadline covers these, and waiting for a connection besides.
      headersTimeout: 0,
      bodyTimeout: 0,
    }
  }

  /** One exchange; credentials that the server refuses are renewed once. */
  const once = async (request: KubeRequest, limit: Deadline): Promise<Answer> => {
    const credentials = await config.credentials.current()
    const answer = await exchange(roads.for(credentials).requests, optionsFor(request, credentials), limit)
    if (answer.status !== 401 || !config.credentials.refused(credentials)) return answer
    const renewed = await config.credentials.current()
    return exchange(roads.for(renewed).requests, optionsFor(request, renewed), limit)
  }

  const attempt = async (request: KubeRequest, limit: Deadline): Promise<KubeResponse> => {
    if (request.method !== 'GET') return parsed(request, await once(request, limit))
    // A kept connection may have died unnoticed. Reading again is harmless; writing again is for the caller to decide.
    const answer = await once(request, limit).catch((error: unknown) => {
      if (limit.reason !== undefined || !BROKEN.has(codeOf(error))) throw error
      return once(request, limit)
    })
    return parsed(request, answer)
  }

  const send = async (request: KubeRequest): Promise<KubeResponse> => {
    const timeoutMs = request.timeoutMs ?? TIMEOUT_MS
    const until = clock.now() + timeoutMs
    using limit = new Deadline(clock, timeoutMs, request.signal)
    try {
      for (;;) {
        const response = await attempt(request, limit)
        const pause = retryAfterOf(response)
        if (pause === undefined) return response
        // Never earlier than asked; those who were refused together come back apart.
        const wait = Math.round(pause * (1 + random() * 0.2))
        if (clock.now() + wait >= until) return response
        await sleep(clock, wait, limit.signal)
      }
    } catch (error) {
      throw failedTo(request, error, limit)
    }
  }

  const open = async (request: KubeRequest, limit: Deadline): Promise<Dispatcher.ResponseData> => {
    const begin = (credentials: Credentials) =>
      roads.for(credentials).streams.request({ ...optionsFor(request, credentials), signal: limit.signal })
    const credentials = await config.credentials.current()
    const response = await begin(credentials)
    if (response.statusCode !== 401 || !config.credentials.refused(credentials)) return response
    await response.body.dump()
    return begin(await config.credentials.current())
  }

  async function* stream(request: KubeRequest): AsyncGenerator {
    using limit = new Deadline(clock, request.timeoutMs ?? TIMEOUT_MS, request.signal)
    try {
      const { statusCode: status, headers, body } = await inTime(open(request, limit), limit)
      if (status >= 300) {
        const answer = { status, headers: headers as Headers, text: await body.text() }
        throw errorOf(describe(request), parsed(request, answer))
      }
      limit.begun()
      yield* linesOf(body, isJson(headers as Headers))
    } catch (error) {
      if (request.signal?.aborted) return
      throw failedTo(request, error, limit)
    }
  }

  const transport: Transport = { send, stream }
  return {
    ...(config.impersonate === undefined ? transport : impersonate(transport, config.impersonate)),
    close: () => roads.close(),
  }
}

/** The connections, made anew when the client certificate changes. */
class ConnectionPools {
  readonly #config: KubeConfig
  readonly #options: HttpOptions
  #open:
    | { readonly certificate: string | undefined; readonly requests: Dispatcher; readonly streams: Dispatcher }
    | undefined
  #closed = false

  constructor(config: KubeConfig, options: HttpOptions) {
    this.#config = config
    this.#options = options
  }

  for({ certificate, key }: Credentials): { readonly requests: Dispatcher; readonly streams: Dispatcher } {
    if (this.#closed) throw new Error('the connection to the API server was closed by us')
    if (this.#open !== undefined && this.#open.certificate === certificate) return this.#open
    // `close` lets what is under way finish: a watch ends by itself at the latest when its certificate is no longer accepted.
    if (this.#open !== undefined) void Promise.all([this.#open.requests.close(), this.#open.streams.close()])
    const { ca, insecure, serverName } = this.#config.tls
    const tls = {
      rejectUnauthorized: !insecure,
      ...(ca !== undefined && { ca }),
      ...(serverName !== undefined && { servername: serverName }),
      ...(certificate !== undefined && key !== undefined && { cert: certificate, key }),
    }
    const make = (connections: number): Dispatcher => {
      const common = { connections, keepAliveTimeout: KEEP_ALIVE_MS, allowH2: false }
      const { proxyUrl, server } = this.#config
      return proxyUrl === undefined
        ? new Pool(new URL(server).origin, { ...common, connect: tls })
        : new ProxyAgent({ ...common, uri: proxyUrl, requestTls: tls })
    }
    this.#open = {
      certificate,
      requests: make(this.#options.connections ?? 32),
      streams: make(this.#options.streams ?? 256),
    }
    return this.#open
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#open?.requests.destroy(), this.#open?.streams.destroy()])
  }
}

/** What still waits for a connection does not notice its signal. */
function inTime<T>(work: Promise<T>, limit: Deadline): Promise<T> {
  const over = new Promise<never>((_, reject) => {
    limit.whenOver(reject)
  })
  return Promise.race([work, over]).finally(() => limit.whenOver(undefined))
}

function parsed(request: KubeRequest, { status, headers, text }: Answer): KubeResponse {
  if (!isJson(headers) || text === '') return { status, headers, body: text }
  try {
    return { status, headers, body: JSON.parse(text) as unknown }
  } catch (cause) {
    throw raise.KubeUnreachable(`failed to ${describe(request)}: the answer (${status}) calls itself JSON but is not`, {
      cause,
    })
  }
}

const isJson = (headers: Headers): boolean => (headers['content-type'] ?? '').includes('json')

/** Only a server that says when to come back is asked again; a 429 without it (an eviction that a budget forbids) is an answer. */
function retryAfterOf({ status, headers }: KubeResponse): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? ''

const describe = ({ method, path }: KubeRequest): string => `${method} ${path}`

function failedTo(request: KubeRequest, error: unknown, limit: Deadline): unknown {
  if (request.signal?.aborted) return request.signal.reason
  if (error instanceof FailureError) return error
  const why = limit.isExpired ? messageOf(limit.reason) : messageOf(error)
  return raise.KubeUnreachable(`failed to ${describe(request)}: ${why}`, { cause: error })
}

function queryText(query: KubeRequest['query']): string {
  if (query === undefined) return ''
  let text = ''
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`
  }
  return text
}
