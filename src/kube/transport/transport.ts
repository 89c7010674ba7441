/** One request to an API server, independent of HTTP. */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Starts with `/api/v1/…`, `/apis/…`, `/version`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** A list is sent as one header for each value, as impersonated groups need it. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** @default application/json */
  readonly contentType?: string
  /** @default application/json */
  readonly accept?: string
  readonly signal?: AbortSignal
  /** The time limit of the answer; for a stream, of its beginning. @default 30_000 */
  readonly timeoutMs?: number
  /** Called before each attempt to send the request. Throws to refuse it. */
  readonly beforeSend?: () => void
  /** Called when the server has accepted a stream: its first line may come much later. */
  readonly onOpen?: () => void
}

export interface KubeResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON, or text where the server answers with text (logs, metrics, health). */
  readonly body: unknown
  /** The approximate size of the body, where the transport knows it. */
  readonly bytes?: number
}

/** How much of a server that nobody vouches for is held in memory for one list. */
export interface ListLimits {
  readonly pages: number
  /** Of all pages together. */
  readonly bytes: number
}

/**
 * Access to one API server with one identity.
 *
 * - `send` resolves with any status, after it has retried 429 and 503 with Retry-After within the time limit. It rejects
 *   only without an answer.
 * - `stream` yields the parsed lines of a watch or log until the server or the signal ends it. A broken connection
 *   rejects, and so does a status other than 2xx, with its `KubeError`.
 */
export interface Transport {
  send(request: KubeRequest): Promise<KubeResponse>
  stream(request: KubeRequest): AsyncIterable<unknown>
  /** Streams that may be open at once. @default no limit */
  readonly maxStreams?: number
  /** @default no limit */
  readonly listLimits?: ListLimits
}
