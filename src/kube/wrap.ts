import type { Identity } from './client.ts'
import type { KubeRequest, Transport } from './transport.ts'

/** Every request on its way out, changed by one function. */
const changing = (inner: Transport, change: (request: KubeRequest) => KubeRequest): Transport => ({
  send: (request) => inner.send(change(request)),
  stream: (request) => inner.stream(change(request)),
})

/** The server validates and admits every write, and keeps none. */
export const dryRun = (inner: Transport): Transport =>
  changing(inner, (request) =>
    request.method === 'GET' ? request : { ...request, query: { ...request.query, dryRun: 'All' } },
  )

/** Writes that do not say whose they are belong to `manager`. */
export const asFieldManager = (inner: Transport, manager: string): Transport =>
  changing(inner, (request) =>
    request.method === 'GET' || request.method === 'DELETE'
      ? request
      : { ...request, query: { fieldManager: manager, ...request.query } },
  )

/** The same server seen as somebody else. Needs the right to impersonate; what is done needs theirs. */
export function impersonate(inner: Transport, { user, groups = [], extra = {} }: Identity): Transport {
  const headers: Record<string, string | readonly string[]> = { 'Impersonate-User': user }
  if (groups.length > 0) headers['Impersonate-Group'] = groups
  for (const [name, values] of Object.entries(extra)) headers[`Impersonate-Extra-${encodeURIComponent(name)}`] = values
  return changing(inner, (request) => ({ ...request, headers: { ...request.headers, ...headers } }))
}

/** Calls `check` before anything is sent: it throws where a call must not be made, such as inside a database transaction. */
export const guarded = (inner: Transport, check: () => void): Transport =>
  changing(inner, (request) => {
    check()
    return request
  })
