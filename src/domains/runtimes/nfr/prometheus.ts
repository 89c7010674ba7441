import { Pool, type Dispatcher } from 'undici'
import { FailureError } from '../../../kernel/index.ts'
import { raise, type MetricsSource, type Sample } from './metrics-source.ts'

export interface PrometheusOptions {
  /** With the path it is served under, if any; user and password as part of it are sent as such and never shown. */
  readonly url: string
  /** How long one query may take. @default 5_000 */
  readonly timeoutMs?: number
  /** The largest answer that is read. @default 32 MiB */
  readonly maxBytes?: number
}

export interface PrometheusSource extends MetricsSource, AsyncDisposable {
  close(): Promise<void>
}

/** Four queries at once are all that an analysis asks. */
const CONNECTIONS = 4

/** Prometheus, or anything that answers its HTTP API. */
export function prometheus({ url, timeoutMs = 5_000, maxBytes = 32 * 2 ** 20 }: PrometheusOptions): PrometheusSource {
  const { origin, pathname, username, password } = new URL(url)
  const path = `${pathname.replace(/\/+$/, '')}/api/v1/query`
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...(username !== '' && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  }
  const pool = new Pool(origin, { connections: CONNECTIONS })

  const ask = async (promql: string, signal: AbortSignal): Promise<readonly Sample[]> => {
    const body = new URLSearchParams({ query: promql, timeout: `${timeoutMs}ms` }).toString()
    // The signal covers all of it, waiting for a connection included.
    const timeouts = { headersTimeout: 0, bodyTimeout: 0 }
    const response = await pool.request({ path, method: 'POST', headers, body, signal, ...timeouts })
    const text = await textWithin(response, maxBytes)
    if (text === undefined) throw raise.MetricsTooLarge(`the answer to "${promql}" is larger than ${maxBytes} bytes`)
    return samplesIn(promql, response.statusCode, text)
  }

  return {
    async query(promql, signal) {
      const limit = AbortSignal.timeout(timeoutMs)
      try {
        return await ask(promql, AbortSignal.any([signal, limit]))
      } catch (cause) {
        if (signal.aborted || cause instanceof FailureError) throw cause
        if (limit.aborted) throw raise.MetricsTimedOut(`no answer to "${promql}" within ${timeoutMs} ms`, { cause })
        throw raise.MetricsUnreachable(`failed to ask Prometheus at ${origin}`, { cause })
      }
    },
    close: () => pool.destroy(),
    [Symbol.asyncDispose]: () => pool.destroy(),
  }
}

async function textWithin({ body }: Dispatcher.ResponseData, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    // Leaving the loop ends the connection, so that the rest is not sent.
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

interface Answer {
  readonly status?: unknown
  readonly error?: unknown
  readonly errorType?: unknown
  readonly data?: { readonly resultType?: unknown; readonly result?: unknown }
}

function samplesIn(promql: string, status: number, text: string): Sample[] {
  const answer = jsonIn(text)
  if (status === 401 || status === 403) throw raise.MetricsRefused(`Prometheus answered ${status} to "${promql}"`)
  if (answer?.status === 'error' && (status === 400 || status === 422)) {
    const message = `Prometheus does not take "${promql}": ${String(answer.error).slice(0, 300)}`
    throw answer.errorType === 'timeout' ? raise.MetricsTimedOut(message) : raise.MetricsQueryInvalid(message)
  }
  if (status >= 300 || answer?.status !== 'success') {
    throw raise.MetricsUnreachable(`Prometheus answered ${status} to "${promql}": ${text.slice(0, 200)}`)
  }
  const { resultType, result } = answer.data ?? {}
  if (resultType !== 'vector' || !Array.isArray(result)) {
    throw raise.MetricsQueryInvalid(`"${promql}" answers with a ${String(resultType)}, not with a vector`)
  }
  return result.flatMap(sampleOf)
}

function jsonIn(text: string): Answer | undefined {
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
