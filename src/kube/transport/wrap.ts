import { systemClock, type Clock, type Emitter } from '../../kernel/index.ts'
import type { Identity } from '../client/client.ts'
import { KubeError } from '../errors.ts'
import { partsOf } from '../client/paths.ts'
import type { KubeRequest, Transport } from './transport.ts'

/** Every request on its way out, changed by one function. */
const changing = (inner: Transport, change: (request: KubeRequest) => KubeRequest): Transport => ({
  send: async (request) => inner.send(change(request)),
  stream: (request) => inner.stream(change(request)),
})

/** The server validates and admits every write, and keeps none. */
export const dryRun = (inner: Transport): Transport =>
  changing(inner, (request) => {
    if (request.method === 'GET') return request
    const tried = { ...request, query: { ...request.query, dryRun: 'All' } }
    // A delete with a body is ruled by it alone; the server would ignore the query and delete.
    return request.method === 'DELETE' && request.body !== undefined
      ? { ...tried, body: { ...request.body, dryRun: ['All'] } }
      : tried
  })

/** The same server seen as somebody else. Needs the right to impersonate; what is done needs theirs. */
export function impersonate(inner: Transport, { user, groups = [], extra = {} }: Identity): Transport {
  const headers: Record<string, string | readonly string[]> = { 'Impersonate-User': user }
  if (groups.length > 0) headers['Impersonate-Group'] = groups
  for (const [name, values] of Object.entries(extra)) headers[`Impersonate-Extra-${encodeURIComponent(name)}`] = values
  return changing(inner, (request) => ({ ...request, headers: { ...request.headers, ...headers } }))
}

/** Calls `check` before anything is sent: it throws where no call may be made, such as inside a database transaction. */
export const guarded = (inner: Transport, check: (request: KubeRequest) => void): Transport =>
  changing(inner, (request) => {
    check(request)
    return request
  })

export interface RequestEvents {
  /** A call ended. For a watch that is when it closes; `code` is 0 when no answer came. */
  'kube:request': {
    readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete'
    /** `pods`, `deployments.apps/status`; of few values, so that it can be a label. */
    readonly resource: string
    readonly code: number
    readonly ms: number
  }
}

export function observed(inner: Transport, emitter: Emitter<RequestEvents>, clock: Clock = systemClock): Transport {
  const tell = (request: KubeRequest, since: number, code: number): void =>
    emitter.emit('kube:request', { ...labelsOf(request), code, ms: clock.now() - since })
  return {
    async send(request) {
      const since = clock.now()
      let code = 0
      try {
        const response = await inner.send(request)
        code = response.status
        return response
      } finally {
        tell(request, since, code)
      }
    },
    async *stream(request) {
      const since = clock.now()
      let code = 200
      try {
        yield* inner.stream(request)
      } catch (error) {
        code = error instanceof KubeError ? error.status : 0
        throw error
      } finally {
        tell(request, since, code)
      }
    },
  }
}

const VERBS = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const

function labelsOf({ method, path, query }: KubeRequest): Pick<RequestEvents['kube:request'], 'verb' | 'resource'> {
  const parts = partsOf(path)
  const reading = query?.watch === true ? 'watch' : parts?.name === undefined ? 'list' : 'get'
  const verb = method === 'GET' ? reading : VERBS[method]
  if (parts === undefined) return { verb: method === 'GET' ? 'get' : verb, resource: 'other' }
  const { group, plural, subresource } = parts
  return { verb, resource: `${plural}${group && `.${group}`}${subresource === undefined ? '' : `/${subresource}`}` }
}
