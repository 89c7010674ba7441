import type { FastifyRequest } from 'fastify'
import type { App, ServerParts } from '../app.ts'
import { authenticate } from '../auth/authenticate.ts'
import { ACCESS, type Access, type Identity } from '../auth/identity.ts'
import { isWrite, siteOf } from '../auth/origin.ts'
import { raise } from '../failures.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** login: counted strictly, by address. none: not counted, for probes and files. */
    limit?: 'login' | 'none'
  }
}

/** Of all addresses together with those that prove who they are: enough for an office behind one address. */
const PER_ADDRESS = 5
const MINUTE_MS = 60_000

/**
 * Stands before every route: how often, who, whether they may, and whether a browser was tricked into it.
 *
 * Addresses are counted before anything is looked up, so that guessing tokens costs the guesser, not the database.
 */
export function guard(app: App, parts: ServerParts): void {
  const { limits, publicUrl } = parts
  const limiter = (name: string, max: number, key: (request: FastifyRequest) => string) =>
    app.createRateLimit({ max, timeWindow: MINUTE_MS, keyGenerator: (request) => `${name} ${key(request)}` })
  const byAddress = limiter('address', limits.perMinute * PER_ADDRESS, ({ ip }) => ip)
  const byLogin = limiter('login', limits.loginsPerMinute, ({ ip }) => ip)
  // By user, not by what they prove it with: a user may create any number of tokens and sessions.
  const byCaller = limiter('caller', limits.perMinute, (request) => callerOf(request).userId)
  const count = async (allow: typeof byAddress, request: FastifyRequest): Promise<void> => {
    const verdict = await allow(request)
    if (verdict.isAllowed || !verdict.isExceeded) return
    throw raise.TooManyRequests(`more than ${verdict.max} requests in a minute`, { retryAfterMs: verdict.ttl })
  }

  app.decorateRequest('identity', undefined)
  app.addHook('onRoute', ({ config, url, method }) => {
    if (config?.access === undefined || !ACCESS.includes(config.access)) {
      throw new Error(
        `route ${String(method)} ${url} does not say who may use it: set config.access to one of ${ACCESS.join(', ')}`,
      )
    }
    if ([method].flat().some(isWrite) && config.idempotent === undefined) {
      throw new Error(
        `route ${String(method)} ${url} does not say whether it honours Idempotency-Key: set config.idempotent`,
      )
    }
  })
  app.addHook('onRequest', async (request) => {
    const { access, limit } = request.routeOptions.config
    if (limit !== 'none') await count(byAddress, request)
    if (limit === 'login') await count(byLogin, request)
    if (access === undefined || access === 'public') return
    const identity = await authenticate(request, parts)
    mustBeAllowed(identity, access)
    if (identity.byCookie && isWrite(request.method) && siteOf(request.headers, [publicUrl()]) !== 'same') {
      throw raise.ForeignOrigin('a request that changes something with a browser session must come from the console')
    }
    request.identity = identity
    await count(byCaller, request)
  })
}

function mustBeAllowed(
  identity: Identity | undefined,
  access: Exclude<Access, 'public'>,
): asserts identity is Identity {
  if (identity === undefined) throw raise.NotSignedIn('this needs a login')
  if (access === 'admin' && identity.role !== 'admin') throw raise.NotAllowed('this needs the role admin')
}

/** Of a route that is not public. */
export function callerOf({ identity, url }: FastifyRequest): Identity {
  if (identity === undefined) throw new Error(`route ${url} is public and has no caller`)
  return identity
}
