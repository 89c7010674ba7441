import { problemFrom, unreachable } from './problem.ts'

export interface RequestOptions {
  readonly signal?: AbortSignal
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
}

interface WriteOptions extends RequestOptions {
  /** The version the change was made on; a newer one refuses the write. */
  readonly ifMatch?: string
  /** The same key for the same intent: repeating it has no second effect. */
  readonly idempotencyKey?: string
}

/** A thing with the version to send back as `ifMatch`. */
interface Tagged<T> {
  readonly data: T
  readonly etag: string | undefined
}

export interface ApiClient {
  get<T>(path: string, options?: RequestOptions): Promise<T>
  getTagged<T>(path: string, options?: RequestOptions): Promise<Tagged<T>>
  post<T>(path: string, body?: unknown, options?: WriteOptions): Promise<T>
  put<T>(path: string, body: unknown, options?: WriteOptions): Promise<T>
  patch<T>(path: string, body: unknown, options?: WriteOptions): Promise<T>
  delete(path: string, options?: WriteOptions): Promise<void>
}

export interface ApiClientOptions {
  readonly fetch: typeof globalThis.fetch
  /** @default '/api/v1' */
  readonly base?: string
  /** Called for every 401, before the error is thrown. */
  readonly onUnauthenticated?: () => void
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Throws `ProblemError` for everything but success, and passes an abort through as it is. */
export function apiClient({ fetch, base = '/api/v1', onUnauthenticated }: ApiClientOptions): ApiClient {
  const send = async <T>(
    method: Method,
    path: string,
    body: unknown,
    options: WriteOptions = {},
  ): Promise<Tagged<T>> => {
    const response = await fetch(`${base}${path}${queryText(options.query)}`, {
      method,
      headers: headersFor(body, options),
      credentials: 'same-origin',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(options.signal && { signal: options.signal }),
    }).catch((error: unknown) => {
      throw options.signal?.aborted ? error : unreachable(error, method === 'GET')
    })
    if (response.ok) {
      return { data: (await bodyOf(response)) as T, etag: response.headers.get('etag') ?? undefined }
    }
    if (response.status === 401) onUnauthenticated?.()
    throw problemFrom(await bodyOf(response), response.status, response.headers.get('x-request-id') ?? '')
  }

  return {
    get: async <T>(path: string, options?: RequestOptions) => (await send<T>('GET', path, undefined, options)).data,
    getTagged: (path, options) => send('GET', path, undefined, options),
    post: async <T>(path: string, body?: unknown, options?: WriteOptions) =>
      (await send<T>('POST', path, body, options)).data,
    put: async <T>(path: string, body: unknown, options?: WriteOptions) =>
      (await send<T>('PUT', path, body, options)).data,
    patch: async <T>(path: string, body: unknown, options?: WriteOptions) =>
      (await send<T>('PATCH', path, body, options)).data,
    delete: async (path, options) => {
      await send('DELETE', path, undefined, options)
    },
  }
}

function headersFor(body: unknown, { ifMatch, idempotencyKey }: WriteOptions): Record<string, string> {
  return {
    accept: 'application/json, application/problem+json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  }
}

export function queryText(query: RequestOptions['query']): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

/** Undefined for an empty or unreadable body: the status decides, not the parser. */
async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Works without a secure context too, unlike crypto.randomUUID. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
