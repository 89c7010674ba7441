import { messageOf, systemClock, type Clock } from '../kernel/index.ts'
import type { Dispatcher } from './connections/index.ts'
import { collect, declaresMoreThan, limited, tooLarge } from './body.ts'
import { Deadline } from './deadline.ts'
import { HttpError } from './errors.ts'
import { isRedirect, nextStop, type RedirectPolicy, type Stop } from './redirects.ts'
import { retryAfterIn } from './retry-after.ts'

export interface UrlRequest {
  readonly url: string | URL
  /** Only GET and HEAD follow redirects. @default GET */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** For everything: connecting, redirects and the last byte of the answer. */
  readonly timeoutMs: number
  readonly maxBytes: number
  /** @default a redirect is an answer and is not followed */
  readonly redirects?: RedirectPolicy
  /** Called before each request is sent, also for redirects; it may wait, and throws to refuse it. */
  readonly beforeSend?: (url: URL, signal: AbortSignal) => Promise<void>
  /** Connections to use for a URL, also for redirects. @default those of Node */
  readonly connectionTo?: (url: URL) => Promise<Dispatcher | undefined>
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock
}

export interface UrlHead {
  readonly status: number
  readonly headers: Headers
  readonly retryAfterMs: number | undefined
}

export interface UrlAnswer extends UrlHead {
  readonly body: Buffer
}

export interface OpenAnswer extends UrlHead {
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Requests a URL of any host with Node's own `fetch`, and collects the answer. Resolves with any status. Rejects with
 * the reason of the signal, otherwise with an `HttpError` or with what the caller's checks threw.
 *
 * For many requests to one origin use `exchange`, which is faster.
 */
export async function fetchUrl(request: UrlRequest): Promise<UrlAnswer> {
  using deadline = new Deadline(request.clock ?? systemClock, request.timeoutMs, request.signal)
  const { body, ...head } = await openUrl(request, deadline)
  return { ...head, body: await collect(body, request.maxBytes) }
}

/** Like `fetchUrl`, but hands over the body as it arrives. The caller owns the deadline. */
export async function openUrl(
  request: Omit<UrlRequest, 'timeoutMs' | 'signal'>,
  deadline: Deadline,
): Promise<OpenAnswer> {
  const { method = 'GET', maxBytes, clock = systemClock } = request
  const { status, headers, body } = await follow(request, deadline)
  if (method !== 'HEAD' && declaresMoreThan(maxBytes, headers.get('content-length'))) {
    await body?.cancel()
    throw tooLarge(maxBytes)
  }
  const chunks = body === null || method === 'HEAD' ? noChunks() : withErrors(limited(body, maxBytes), deadline)
  return { status, headers, retryAfterMs: retryAfterIn(Object.fromEntries(headers), clock), body: chunks }
}

async function follow(
  {
    url,
    method = 'GET',
    headers = {},
    body,
    redirects,
    beforeSend,
    connectionTo,
  }: Omit<UrlRequest, 'timeoutMs' | 'signal'>,
  deadline: Deadline,
): Promise<Response> {
  const follows = redirects !== undefined && (method === 'GET' || method === 'HEAD')
  for (let stop: Stop = { url: new URL(url), headers, followed: 0 }; ;) {
    await beforeSend?.(stop.url, deadline.signal)
    const dispatcher = await connectionTo?.(stop.url)
    const sent = {
      method,
      headers: stop.headers,
      redirect: 'manual',
      signal: deadline.signal,
      ...(body !== undefined && { body }),
      ...(dispatcher !== undefined && { dispatcher }),
    }
    // The types of Node name another copy of undici.
    const response = await fetch(stop.url, sent as unknown as RequestInit).catch((error: unknown) => {
      throw errorOf(error, deadline)
    })
    const location = response.headers.get('location')
    if (!follows || location === null || !isRedirect(response.status)) return response
    await response.body?.cancel()
    stop = nextStop(stop, location, redirects)
  }
}

async function* withErrors(chunks: AsyncIterable<Uint8Array>, deadline: Deadline): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    throw errorOf(error, deadline)
  }
}

async function* noChunks(): AsyncGenerator<Uint8Array> {}

function errorOf(error: unknown, deadline: Deadline): unknown {
  if (deadline.reason !== undefined) return deadline.reason
  return error instanceof HttpError ? error : new HttpError('unreachable', messageOf(error), { cause: error })
}
