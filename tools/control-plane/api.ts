import { Agent, request } from 'undici'
import type { Pki } from './pki.ts'

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
  const dispatcher = new Agent({
    connect: { ca: pki.ca.cert, cert: pki.admin.cert, key: pki.admin.key },
    headersTimeout: 5_000,
  })
  const origin = `https://127.0.0.1:${port}`
  const ask = async (method: Method, path: string, body?: object): Promise<{ status: number; text: string }> => {
    const response = await request(`${origin}${path}`, {
      method,
      dispatcher,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    return { status: response.statusCode, text: await response.body.text() }
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
    close: () => dispatcher.destroy(),
  }
}
