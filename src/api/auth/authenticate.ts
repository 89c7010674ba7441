import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../kernel/index.ts'
import { raise } from '../failures.ts'
import { effectiveRole, hashOf, isGood, TOKEN_MARK, type ApiTokens } from './api-token.ts'
import type { Identity, User, Users } from './identity.ts'
import type { Oidc } from './oidc.ts'
import type { Sealer } from './session.ts'

export interface AuthParts {
  readonly users: Users
  readonly tokens: ApiTokens
  readonly sealer: Sealer
  readonly oidc: Oidc | undefined
  readonly clock: Clock
}

export const SESSION_COOKIE = 'caelus_session'

/**
 * Who makes this request. Undefined: it does not say. Throws `NotSignedIn` when it says so without proof.
 *
 * A header counts before a cookie: a program that sends a token means the token.
 */
export async function authenticate(request: FastifyRequest, parts: AuthParts): Promise<Identity | undefined> {
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const [, bearer] = /^bearer +(\S+)$/i.exec(authorization) ?? []
    if (bearer === undefined) throw raise.NotSignedIn('the Authorization header is not of the form Bearer <token>')
    return bearer.startsWith(TOKEN_MARK) ? byApiToken(bearer, parts) : byOidcToken(bearer, parts)
  }
  const cookie = request.cookies[SESSION_COOKIE]
  return cookie === undefined ? undefined : bySession(cookie, parts)
}

async function byApiToken(secret: string, { tokens, clock }: AuthParts): Promise<Identity> {
  const hash = hashOf(secret)
  const found = await tokens.findByHash(hash)
  if (found === undefined || !isGood(found.token, hash, clock.now())) {
    throw raise.NotSignedIn('the API token is unknown, expired or revoked')
  }
  const { token, user } = found
  if (isOlderThanAMinute(token.lastUsedAt, clock.now())) await tokens.markUsed(token.id)
  return { userId: user.id, email: user.email, role: effectiveRole(token, user), auth: 'token', byCookie: false }
}

/** When it was last used is known to the minute: a busy token costs no write per request. */
const isOlderThanAMinute = (at: Date | null, now: number): boolean => at === null || now - at.getTime() > 60_000

async function byOidcToken(bearer: string, { oidc, users }: AuthParts): Promise<Identity> {
  if (oidc === undefined) throw raise.NotSignedIn(`the bearer token is no API token (they begin with ${TOKEN_MARK})`)
  const profile = await oidc.profileOf(bearer)
  const user = await users.signIn(profile)
  if (user === undefined) throw raise.NotSignedIn(`the email ${profile.email} belongs to another user`)
  return { userId: user.id, email: user.email, role: user.role, auth: 'oidc', byCookie: false }
}

/** A cookie that is no longer good is as if there were none: the browser sends it with everything. */
async function bySession(cookie: string, { sealer, users, clock }: AuthParts): Promise<Identity | undefined> {
  const session = await sealer.openSession(cookie, clock.now())
  if (session === undefined) return undefined
  const user = await users.get(session.userId)
  if (user === undefined || !isCurrent(session.begunAt, user)) return undefined
  return { userId: user.id, email: user.email, role: user.role, auth: session.auth, byCookie: true }
}

const isCurrent = (begunAt: number, user: User): boolean => begunAt > user.sessionsFrom.getTime()
