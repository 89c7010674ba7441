/** One call to an API server, before it becomes HTTP. Wrappers add to it; the fake answers it. */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Starts with `/api/v1/…`, `/apis/…`, `/version`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** A list is sent as one header per value, as impersonated groups need it. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** @default application/json */
  readonly contentType?: string
  /** @default application/json */
  readonly accept?: string
  readonly signal?: AbortSignal
  /** How long the answer may take; for streams, how long until it begins. @default 30_000 */
  readonly timeoutMs?: number
  /** Called before each attempt to send the request. Throws to refuse it. */
  readonly beforeSend?: () => void
}

export interface KubeResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON, or text where the server answered text (logs, metrics, health). */
  readonly body: unknown
}

/**
 * The way to one API server with one identity.
 *
 * `send` resolves with whatever status the server gave, after honouring 429 and Retry-After within its time limit;
 * it rejects only when no answer came. `stream` yields the parsed lines of a watch (or the lines of a log followed) until the server
 * or the signal ends it; a connection that breaks rejects, one that ends quietly returns. A status other than 2xx
 * rejects with the `KubeError` of that status before the first line.
 */
export interface Transport {
  send(request: KubeRequest): Promise<KubeResponse>
  stream(request: KubeRequest): AsyncIterable<unknown>
}
