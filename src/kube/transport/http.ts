import type { Dispatcher } from '../../http/connections/index.ts'
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
import { FailureError, sleep, systemClock, type Clock, type Emitter } from '../../kernel/index.ts'
import type { KubeConfig } from '../config/config.ts'
import type { Credentials } from '../config/credentials.ts'
import { errorOf, raise } from '../errors.ts'
import { linesOf } from './lines.ts'
import { ConnectionPools, destroy, type Connections } from './pools.ts'
import { SilenceDetector, SilentConnection, type ConnectionEvents, type Replacement } from './silence.ts'
import { OpenStreams, type OpenStream } from './streams.ts'
import type { KubeRequest, KubeResponse, ListLimits, Transport } from './transport.ts'
import { impersonate } from './wrap.ts'

export interface HttpOptions {
  /** Connections for requests; further requests wait. Watches are not counted. @default 32 */
  readonly connections?: number
  /** Watches open at once, each on a connection of its own; one more fails at once. @default 1024 */
  readonly streams?: number
  /** The largest answer; a larger one is refused while it arrives. @default 256 MiB */
  readonly maxBytes?: number
  /** The longest line of a watch or a log. @default 64 MiB */
  readonly maxLineBytes?: number
  /** @default no limit */
  readonly lists?: ListLimits
  /** A request without an answer for this long makes the transport try a new connection. @default 3_000 */
  readonly silentAfterMs?: number
  readonly emitter?: Emitter<ConnectionEvents>
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
/** Less than a quarter of a leader's lease, so that its next renewal uses a connection that works. */
const SILENT_AFTER_MS = 3_000
/** A watch costs some 0.1 MB, and 20 ms to open. */
const MAX_STREAMS = 1024
/** A page of 500 objects of 0.5 MB; strings of Node hold 512 MiB. */
const MAX_BYTES = 256 * 2 ** 20
/** A status that refuses a watch. */
const MAX_REFUSAL_BYTES = 2 ** 20
/** Everyone may read it, and it costs the server nothing. */
const PROBE = { method: 'GET', path: '/version' } as const
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** A transport over HTTP/1.1 with keep-alive connections. Each watch has a connection of its own. */
export function httpTransport(config: KubeConfig, options: HttpOptions = {}): HttpTransport {
  const { clock = systemClock, random = Math.random, userAgent = 'caelus', maxBytes = MAX_BYTES } = options
  const { origin, pathname } = new URL(config.server)
  const prefix = pathname === '/' ? '' : pathname
  const pools = new ConnectionPools(config, options.connections ?? 32)
  const { maxLineBytes, lists } = options
  const maxStreams = options.streams ?? MAX_STREAMS
  const streams = new OpenStreams(clock, maxStreams)

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

  const silentAfterMs = options.silentAfterMs ?? SILENT_AFTER_MS
  const silence = new SilenceDetector({
    clock,
    afterMs: silentAfterMs,
    emitter: options.emitter,
    hangUpSilent: (since) => streams.hangUpSilent(since),
    async probe(signal): Promise<Replacement> {
      const credentials = await config.credentials.current()
      const fresh = pools.make(credentials)
      try {
        using deadline = new Deadline(clock, silentAfterMs, signal)
        // Any status is an answer.
        await exchange(fresh.requests, optionsFor(PROBE, credentials), deadline, MAX_REFUSAL_BYTES)
      } catch (error) {
        await destroy(fresh)
        throw error
      }
      return {
        adopt: () => pools.use(fresh),
        discard: () => void destroy(fresh),
      }
    },
  })

  const ask = async (on: Connections, request: KubeRequest, credentials: Credentials, deadline: Deadline) => {
    using watch = silence.watch(describe(request), request.method === 'GET')
    return await exchange(on.requests, optionsFor(request, credentials), deadline, maxBytes, watch)
  }

  /** One request and its answer. Credentials that the server refuses are renewed once. */
  const once = async (request: KubeRequest, deadline: Deadline): Promise<Answer> => {
    const credentials = await config.credentials.current()
    const answer = await ask(pools.for(credentials), request, credentials, deadline)
    if (answer.status !== 401 || !config.credentials.refused(credentials)) return answer
    const renewed = await config.credentials.current()
    return ask(pools.for(renewed), request, renewed, deadline)
  }

  const attempt = async (request: KubeRequest, deadline: Deadline): Promise<KubeResponse> => {
    if (request.method !== 'GET') return parsed(request, await once(request, deadline))
    // A kept connection may have died. Only reads are safe to repeat; the caller decides about writes.
    const answer = await once(request, deadline).catch((error: unknown) => {
      if (deadline.reason !== undefined || !isBroken(error)) throw error
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
      pools.for(credentials).streams.request({ ...optionsFor(request, credentials), signal: deadline.signal })
    using watch = silence.watch(describe(request), false)
    const credentials = await config.credentials.current()
    const response = await begin(credentials)
    watch.answered()
    if (response.statusCode !== 401 || !config.credentials.refused(credentials)) return response
    await response.body.dump()
    return begin(await config.credentials.current())
  }

  async function* stream(request: KubeRequest): AsyncGenerator {
    using deadline = new Deadline(clock, request.timeoutMs ?? TIMEOUT_MS, request.signal)
    using opened = streams.enter(describe(request), () => deadline.end(new SilentConnection()))
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
      request.onOpen?.()
      yield* linesOf(heard(body, opened), isJson(headers as HeaderMap), maxLineBytes)
    } catch (error) {
      if (request.signal?.aborted) return
      throw failedTo(request, error, deadline)
    }
  }

  const transport: Transport = { send, stream }
  return {
    ...(config.impersonate === undefined ? transport : impersonate(transport, config.impersonate)),
    maxStreams,
    ...(lists !== undefined && { listLimits: lists }),
    async close() {
      silence.close()
      await pools.close()
    },
  }
}

async function* heard(body: AsyncIterable<Uint8Array>, opened: OpenStream): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    opened.heard()
    yield chunk
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
    return { status, headers, body: JSON.parse(text) as unknown, bytes: text.length }
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

const isBroken = (error: unknown): boolean =>
  error instanceof SilentConnection || BROKEN.has((error as { code?: string }).code ?? '')

const describe = ({ method, path }: KubeRequest): string => `${method} ${path}`

function failedTo(request: KubeRequest, error: unknown, deadline: Deadline): unknown {
  if (request.signal?.aborted) return request.signal.reason
  if (error instanceof FailureError) return error
  return failureOfError(FAILURES, describe(request), deadline.reason ?? error)
}

function queryText(query: KubeRequest['query']): string {
  if (query === undefined) return ''
  let text = ''
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`
  }
  return text
}
