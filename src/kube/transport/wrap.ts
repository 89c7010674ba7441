import { systemClock, type Clock, type Emitter, type LeaderElection } from '../../kernel/index.ts'
import type { Identity } from '../client/client.ts'
import { KubeError } from '../errors.ts'
import { partsOf } from '../client/paths.ts'
import type { KubeRequest, Transport } from './transport.ts'

/** Changes every request before the inner transport gets it. */
const changing = (inner: Transport, change: (request: KubeRequest) => KubeRequest): Transport => ({
  ...inner,
  send: async (request) => inner.send(change(request)),
  stream: (request) => inner.stream(change(request)),
})

/** Sends requests as another user. We need the right to impersonate, that user needs the rights for the requests. */
export function impersonate(inner: Transport, identity: Identity): Transport {
  const headers = impersonationHeaders(identity)
  return changing(inner, (request) => ({ ...request, headers: { ...request.headers, ...headers } }))
}

export function impersonationHeaders(identity: Identity | undefined): Record<string, string | string[]> {
  if (identity === undefined) return {}
  const { user, groups = [], extra = {} } = identity
  const headers: Record<string, string | string[]> = { 'Impersonate-User': user }
  if (groups.length > 0) headers['Impersonate-Group'] = [...groups]
  for (const [name, values] of Object.entries(extra))
    headers[`Impersonate-Extra-${encodeURIComponent(name)}`] = [...values]
  return headers
}

/**
 * Calls `check` before a request is accepted and again before each attempt to send it: a transport may wait in between, for
 * credentials or for the pause that the server asked for. A check that throws keeps the request from being sent.
 */
export const guarded = (inner: Transport, check: (request: KubeRequest) => void): Transport =>
  changing(inner, (request) => {
    check(request)
    const beforeSend = (): void => {
      request.beforeSend?.()
      check(request)
    }
    return { ...request, beforeSend }
  })

/** `guarded` for writes; reads and watches pass. */
export const guardedWrites = (inner: Transport, check: () => void): Transport =>
  guarded(inner, ({ method }) => {
    if (method !== 'GET') check()
  })

/** Refuses writes while this process does not lead. */
export const ledBy = (inner: Transport, election: Pick<LeaderElection, 'assertLeading'>): Transport =>
  guardedWrites(inner, () => election.assertLeading())

export interface RequestEvents {
  /** A request has ended; a watch ends when it closes. `code` is 0 when no answer came. */
  'kube:request': {
    readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete'
    /** `pods`, `deployments.apps/status`: few distinct values, so that it can be a metric label. */
    readonly resource: string
    readonly code: number
    readonly ms: number
  }
}

export function observed(inner: Transport, emitter: Emitter<RequestEvents>, clock: Clock = systemClock): Transport {
  const tell = (request: KubeRequest, since: number, code: number): void =>
    emitter.emit('kube:request', { ...labelsOf(request), code, ms: clock.now() - since })
  return {
    ...inner,
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
