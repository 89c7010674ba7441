import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../kernel/index.ts'
import {
  effectiveRole,
  hashOf,
  isGood,
  TOKEN_MARK,
  type ApiTokens,
  type Logins,
  type Principal,
  type Profile,
} from '../../identity/index.ts'
import { raise } from '../failures.ts'
import type { Identity } from './identity.ts'
import type { Oidc } from './oidc.ts'
import type { Sealer } from './session.ts'

export interface AuthParts {
  readonly users: Logins
  readonly tokens: ApiTokens
  readonly sealer: Sealer
  readonly oidc: Oidc | undefined
  readonly clock: Clock
}

export const SESSION_COOKIE = 'caelus_session'

/**
 * The caller of a request. Undefined: the request has no credentials. Throws `NotSignedIn` for invalid ones.
 *
 * An Authorization header takes precedence over a cookie.
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
  return {
    userId: user.id,
    email: user.email,
    role: effectiveRole(token, user),
    auth: 'token',
    byCookie: false,
    ...(token.expiresAt !== null && { expiresAt: token.expiresAt }),
  }
}

/** The last use is recorded once a minute, so that a busy token costs no write per request. */
const isOlderThanAMinute = (at: Date | null, now: number): boolean => at === null || now - at.getTime() > 60_000

/** Why a login did not lead to a user. */
export const whyUnknown = ({ email }: Profile): string =>
  email === undefined
    ? 'the issuer vouches for no email: a new user needs the claim email, and email_verified to be true (for an issuer that verifies every email and does not send it, set CAELUS_OIDC_TRUST_EMAIL)'
    : `the email ${email} belongs to another user`

async function byOidcToken(bearer: string, { oidc, users }: AuthParts): Promise<Identity> {
  if (oidc === undefined) throw raise.NotSignedIn(`the bearer token is no API token (they begin with ${TOKEN_MARK})`)
  const profile = await oidc.profileOf(bearer)
  // The role counts for this request only: a token may be older than the last change of the stored role.
  const user = await users.signIn({ ...profile, role: undefined })
  if (user === undefined) throw raise.NotSignedIn(whyUnknown(profile))
  return { userId: user.id, email: user.email, role: profile.role ?? user.role, auth: 'oidc', byCookie: false }
}

/** An invalid cookie counts as none: the browser sends it with every request. */
async function bySession(cookie: string, { sealer, users, clock }: AuthParts): Promise<Identity | undefined> {
  const session = await sealer.openSession(cookie, clock.now())
  if (session === undefined) return undefined
  const user = await users.get(session.userId)
  if (user === undefined || !isCurrent(session.begunAt, user)) return undefined
  return { userId: user.id, email: user.email, role: user.role, auth: session.auth, byCookie: true }
}

const isCurrent = (begunAt: number, user: Principal): boolean => begunAt > user.sessionsFrom.getTime()
