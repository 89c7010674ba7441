import { errorOf, withFaults, type KubeRequest, type KubeResponse, type Transport } from '../../../../kube/index.ts'

/** An answer of Gardener's API that a test or a person asks for. */
export interface InjectedError {
  readonly status: number
  readonly reason?: string
  readonly message: string
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'patch' | 'delete'

/** A transport whose answers may be replaced. */
export interface Injectable {
  readonly transport: Transport
  /** The next request of this kind is answered with the error. */
  readonly failNext: (verb: Verb, error: InjectedError) => void
  /** Nothing is reachable until `up`. */
  readonly down: () => void
  readonly up: () => void
}

export function injectable(inner: Transport, breakWatches: () => void): Injectable {
  const errors: { readonly verb: Verb; readonly error: InjectedError }[] = []
  let isDown = false
  const refusal = (request: KubeRequest): KubeResponse | undefined => {
    const verb = verbOf(request)
    const index = errors.findIndex((one) => one.verb === verb)
    const { error } = errors[index] ?? {}
    if (error === undefined) return undefined
    errors.splice(index, 1)
    const { status: code, reason = '', message } = error
    return {
      status: code,
      headers: {},
      body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message },
    }
  }
  const answering: Transport = {
    ...inner,
    send: async (request) => refusal(request) ?? inner.send(request),
    async *stream(request) {
      const refused = refusal(request)
      if (refused !== undefined) throw errorOf(`watch ${request.path}`, refused)
      yield* inner.stream(request)
    },
  }
  const transport = withFaults(answering, () => (isDown ? { fault: 'lost' } : undefined))
  return {
    transport,
    failNext: (verb: Verb, error: InjectedError) => void errors.push({ verb, error }),
    down: () => {
      isDown = true
      breakWatches()
    },
    up: () => void (isDown = false),
  }
}

const VERBS = { POST: 'create', PUT: 'patch', PATCH: 'patch', DELETE: 'delete' } as const

function verbOf({ method, path, query }: KubeRequest): Verb {
  if (method !== 'GET') return VERBS[method]
  if (query?.['watch'] !== undefined) return 'watch'
  return /\/(?:shoots|projects|cloudprofiles|credentialsbindings)$/.test(path) ? 'list' : 'get'
}
