import { connectionsTo } from '../../src/http/connections/index.ts'
import { Deadline, exchange, NO_OTHER_TIMEOUTS, type Answer } from '../../src/http/index.ts'
import { systemClock } from '../../src/kernel/index.ts'
import type { Pki } from './pki.ts'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 16 * 2 ** 20

type Method = 'GET' | 'POST' | 'DELETE'

/** The requests that are needed before there is a client. */
export interface AdminApi {
  /** False if the API server does not answer, or answers that it is not ready. */
  ready(): Promise<boolean>
  /** The parsed answer, or `undefined` unless the status is 2xx or 409 (it is there already). */
  call(method: Method, path: string, body?: object): Promise<Record<string, unknown> | undefined>
  close(): Promise<void>
}

export function adminApi(port: number, pki: Pick<Pki, 'ca' | 'admin'>): AdminApi {
  const origin = `https://127.0.0.1:${port}`
  const tls = { ca: pki.ca.cert, certificate: pki.admin.cert, key: pki.admin.key }
  const connections = connectionsTo({ origin, connections: null, tls })
  const ask = async (method: Method, path: string, body?: object): Promise<Answer> => {
    using deadline = new Deadline(systemClock, TIMEOUT_MS, undefined)
    const content = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    return await exchange(connections, { origin, method, path, ...content, ...NO_OTHER_TIMEOUTS }, deadline, MAX_BYTES)
  }
  return {
    ready: () =>
      ask('GET', '/readyz').then(
        ({ status }) => status === 200,
        () => false,
      ),
    async call(method, path, body) {
      const { status, text } = await ask(method, path, body)
      return (status >= 200 && status < 300) || status === 409
        ? (JSON.parse(text) as Record<string, unknown>)
        : undefined
    },
    close: () => connections.destroy(),
  }
}
