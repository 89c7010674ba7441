import { connectionsTo } from '../../../http/connections/index.ts'
import {
  Deadline,
  exchange,
  failureOfError,
  failureOfStatus,
  NO_OTHER_TIMEOUTS,
  retryAfterIn,
  type Answer,
} from '../../../http/index.ts'
import { systemClock } from '../../../kernel/index.ts'
import { raise, type MetricsSource, type Sample } from './metrics-source.ts'

export interface PrometheusOptions {
  /** With the path that it is served under. Its user and password are sent as credentials and appear in no message. */
  readonly url: string
  /** For one query. @default 5_000 */
  readonly timeoutMs?: number
  /** The largest answer. @default 32 MiB */
  readonly maxBytes?: number
}

export interface PrometheusSource extends MetricsSource, AsyncDisposable {
  close(): Promise<void>
}

/** One analysis makes four queries at once. */
const CONNECTIONS = 4

const FAILURES = {
  unreachable: raise.MetricsUnreachable,
  timedOut: raise.MetricsTimedOut,
  tooLarge: raise.MetricsTooLarge,
  forbidden: raise.MetricsRefused,
}

/** Prometheus, or any server with its HTTP API. */
export function prometheus({ url, timeoutMs = 5_000, maxBytes = 32 * 2 ** 20 }: PrometheusOptions): PrometheusSource {
  const { origin, pathname, username, password } = new URL(url)
  const path = `${pathname.replace(/\/+$/, '')}/api/v1/query`
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...(username !== '' && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  }
  const connections = connectionsTo({ origin, connections: CONNECTIONS })

  return {
    async query(promql, signal) {
      const body = new URLSearchParams({ query: promql, timeout: `${timeoutMs}ms` }).toString()
      const request = { origin, path, method: 'POST', headers, body, ...NO_OTHER_TIMEOUTS } as const
      const doing = `query Prometheus at ${origin} for "${promql}"`
      using deadline = new Deadline(systemClock, timeoutMs, signal)
      const answer = await exchange(connections, request, deadline, maxBytes).catch((error: unknown) => {
        signal.throwIfAborted()
        throw failureOfError(FAILURES, doing, error)
      })
      return samplesIn(promql, doing, answer)
    },
    close: () => connections.destroy(),
    [Symbol.asyncDispose]: () => connections.destroy(),
  }
}

interface QueryResult {
  readonly status?: unknown
  readonly error?: unknown
  readonly errorType?: unknown
  readonly data?: { readonly resultType?: unknown; readonly result?: unknown }
}

function samplesIn(promql: string, doing: string, { status, headers, text }: Answer): Sample[] {
  const found = resultIn(text)
  if (found?.status === 'error' && (status === 400 || status === 422)) {
    const message = `failed to ${doing}: ${String(found.error).slice(0, 300)}`
    throw found.errorType === 'timeout' ? raise.MetricsTimedOut(message) : raise.MetricsQueryInvalid(message)
  }
  if (status >= 300) throw failureOfStatus(FAILURES, doing, { status, retryAfterMs: retryAfterIn(headers) })
  if (found?.status !== 'success')
    throw raise.MetricsUnreachable(`failed to ${doing}: the answer is not one of Prometheus: ${text.slice(0, 200)}`)
  const { resultType, result } = found.data ?? {}
  if (resultType !== 'vector' || !Array.isArray(result)) {
    throw raise.MetricsQueryInvalid(`the result of "${promql}" is a ${String(resultType)}, not a vector`)
  }
  return result.flatMap(sampleOf)
}

function resultIn(text: string): QueryResult | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** `{ metric: { pod: 'a' }, value: [1700000000.1, '12.5'] }` */
function sampleOf(element: { readonly metric?: Record<string, string>; readonly value?: [number, string] }): Sample[] {
  const value = Number(element.value?.[1])
  return Number.isFinite(value) ? [{ labels: element.metric ?? {}, value }] : []
}
