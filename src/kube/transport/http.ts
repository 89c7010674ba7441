import { connectionsTo, requestOver, type Dispatcher } from '../../http/connections/index.ts'
import {
  collect,
  Deadline,
  exchange,
  failureOfError,
  NO_OTHER_TIMEOUTS,
  retryAfterIn,
  type Answer,
  type HeaderMap,
} from '../../http/index.ts'
import { FailureError, sleep, systemClock, type Clock } from '../../kernel/index.ts'
import type { KubeConfig } from '../config/config.ts'
import type { Credentials } from '../config/credentials.ts'
import { errorOf, raise } from '../errors.ts'
import { linesOf } from './lines.ts'
import { OpenStreams } from './streams.ts'
import type { KubeRequest, KubeResponse, Transport } from './transport.ts'
import { impersonate } from './wrap.ts'

export interface HttpOptions {
  /** Connections for requests; further requests wait. Watches are not counted. @default 32 */
  readonly connections?: number
  /** Watches open at once, each on a connection of its own; one more fails at once. @default 1024 */
  readonly streams?: number
  /** The largest answer; a larger one is refused while it arrives. @default 256 MiB */
  readonly maxBytes?: number
  /** Sent as User-Agent; the server's audit log shows it. @default caelus */
  readonly userAgent?: string
  readonly clock?: Clock
  /** For the jitter of retries. @default Math.random */
  readonly random?: () => number
}

export interface HttpTransport extends Transport {
  /** Aborts all requests and closes the connections. */
  close(): Promise<void>
}

const TIMEOUT_MS = 30_000
/** A watch costs some 0.1 MB, and 20 ms to open. */
const MAX_STREAMS = 1024
/** A page of 500 objects of 0.5 MB; strings of Node hold 512 MiB. */
const MAX_BYTES = 256 * 2 ** 20
/** A status that refuses a watch. */
const MAX_REFUSAL_BYTES = 2 ** 20
/** Below the 90 s after which an API server closes an idle connection, so that no write meets a closing one. */
const KEEP_ALIVE_MS = 60_000
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** A transport over HTTP/1.1 with keep-alive connections. Each watch has a connection of its own. */
export function httpTransport(config: KubeConfig, options: HttpOptions = {}): HttpTransport {
  const { clock = systemClock, random = Math.random, userAgent = 'caelus', maxBytes = MAX_BYTES } = options
  const { origin, pathname } = new URL(config.server)
  const prefix = pathname === '/' ? '' : pathname
  const pools = new ConnectionPools(config, options)
  const maxStreams = options.streams ?? MAX_STREAMS
  const streams = new OpenStreams(maxStreams)

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
      ...NO_OTHER_TIMEOUTS,
    }
  }

  /** One request and its answer. Credentials that the server refuses are renewed once. */
  const once = async (request: KubeRequest, deadline: Deadline): Promise<Answer> => {
    const credentials = await config.credentials.current()
    const answer = await exchange(pools.for(credentials).requests, optionsFor(request, credentials), deadline, maxBytes)
    if (answer.status !== 401 || !config.credentials.refused(credentials)) return answer
    const renewed = await config.credentials.current()
    return exchange(pools.for(renewed).requests, optionsFor(request, renewed), deadline, maxBytes)
  }

  const attempt = async (request: KubeRequest, deadline: Deadline): Promise<KubeResponse> => {
    if (request.method !== 'GET') return parsed(request, await once(request, deadline))
    // A keep-alive connection may have died. Only reads are safe to repeat; the caller decides about writes.
    const answer = await once(request, deadline).catch((error: unknown) => {
      if (deadline.reason !== undefined || !BROKEN.has(codeOf(error))) throw error
      return once(request, deadline)
    })
    return parsed(request, answer)
  }

  const send = async (request: KubeRequest): Promise<KubeResponse> => {
    const timeoutMs = request.timeoutMs ?? TIMEOUT_MS
    const until = clock.now() + timeoutMs
    using deadline = new Deadline(clock, timeoutMs, request.signal)
    try {
      for (;;) {
        const response = await attempt(request, deadline)
        const pause = retryPauseOf(response, clock)
        if (pause === undefined) return response
        // Jitter only prolongs the pause: no retry is earlier than the server asked for.
        const wait = Math.round(pause * (1 + random() * 0.2))
        if (clock.now() + wait >= until) return response
        await sleep(clock, wait, deadline.signal)
      }
    } catch (error) {
      throw failedTo(request, error, deadline)
    }
  }

  const open = async (request: KubeRequest, deadline: Deadline): Promise<Dispatcher.ResponseData> => {
    const begin = (credentials: Credentials) =>
      requestOver(pools.for(credentials).streams, { ...optionsFor(request, credentials), signal: deadline.signal })
    const credentials = await config.credentials.current()
    const response = await begin(credentials)
    if (response.statusCode !== 401 || !config.credentials.refused(credentials)) return response
    await response.body.dump()
    return begin(await config.credentials.current())
  }

  async function* stream(request: KubeRequest): AsyncGenerator {
    using _ = streams.enter(describe(request))
    using deadline = new Deadline(clock, request.timeoutMs ?? TIMEOUT_MS, request.signal)
    try {
      const { statusCode: status, headers, body } = await inTime(open(request, deadline), deadline)
      if (status >= 300) {
        const answer = {
          status,
          headers: headers as HeaderMap,
          text: (await collect(body, MAX_REFUSAL_BYTES)).toString('utf8'),
        }
        throw errorOf(describe(request), parsed(request, answer))
      }
      deadline.begun()
      yield* linesOf(body, isJson(headers as HeaderMap))
    } catch (error) {
      if (request.signal?.aborted) return
      throw failedTo(request, error, deadline)
    }
  }

  const transport: Transport = { send, stream }
  return {
    ...(config.impersonate === undefined ? transport : impersonate(transport, config.impersonate)),
    maxStreams,
    close: () => pools.close(),
  }
}

/** The connections. A new client certificate opens new ones. */
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
    if (this.#closed) throw new Error('the transport is closed')
    if (this.#open !== undefined && this.#open.certificate === certificate) return this.#open
    // `close` waits for open requests. A watch ends at the latest when its certificate is no longer accepted.
    if (this.#open !== undefined) void Promise.all([this.#open.requests.close(), this.#open.streams.close()])
    const { proxyUrl, server } = this.#config
    const tls = {
      ...this.#config.tls,
      ...(certificate !== undefined && key !== undefined && { certificate, key }),
    }
    const make = (connections: number | null): Dispatcher =>
      connectionsTo({ origin: new URL(server).origin, connections, tls, proxyUrl, keepAliveMs: KEEP_ALIVE_MS })
    this.#open = {
      certificate,
      requests: make(this.#options.connections ?? 32),
      // `OpenStreams` limits the watches, so that a connection that is closing does not delay the next watch.
      streams: make(null),
    }
    return this.#open
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#open?.requests.destroy(), this.#open?.streams.destroy()])
  }
}

/** undici does not abort a request that still waits for a connection. */
function inTime<T>(work: Promise<T>, deadline: Deadline): Promise<T> {
  const over = new Promise<never>((_, reject) => {
    deadline.whenOver(reject)
  })
  return Promise.race([work, over]).finally(() => deadline.whenOver(undefined))
}

function parsed(request: KubeRequest, { status, headers, text }: Answer): KubeResponse {
  if (!isJson(headers) || text === '') return { status, headers, body: text }
  try {
    return { status, headers, body: JSON.parse(text) as unknown }
  } catch (cause) {
    throw raise.KubeUnreachable(`failed to ${describe(request)}: the answer (${status}) is not valid JSON`, {
      cause,
    })
  }
}

const isJson = (headers: HeaderMap): boolean => (headers['content-type'] ?? '').includes('json')

/** Only an answer with Retry-After is retried. A 429 without it, such as a refused eviction, is an answer. */
const retryPauseOf = ({ status, headers }: KubeResponse, clock: Clock): number | undefined =>
  status === 429 || status === 503 ? retryAfterIn(headers, clock) : undefined

const FAILURES = { unreachable: raise.KubeUnreachable, tooLarge: raise.KubeAnswerTooLarge }

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? ''

const describe = ({ method, path }: KubeRequest): string => `${method} ${path}`

function failedTo(request: KubeRequest, error: unknown, deadline: Deadline): unknown {
  if (request.signal?.aborted) return request.signal.reason
  if (error instanceof FailureError) return error
  return failureOfError(FAILURES, describe(request), deadline.isExpired ? deadline.reason : error)
}

function queryText(query: KubeRequest['query']): string {
  if (query === undefined) return ''
  let text = ''
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`
  }
  return text
}
