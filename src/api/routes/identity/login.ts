import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Profile } from '../../../identity/index.ts'
import { refuseUnstorable } from '../../../store/index.ts'
import type { App, ServerParts } from '../../app.ts'
import { SESSION_COOKIE, whyUnknown } from '../../auth/authenticate.ts'
import { isLoopbackAddress, isLoopbackHost, siteOf } from '../../auth/origin.ts'
import { DevLogin, LoginMethods, Me } from '../../contract/index.ts'
import { raise } from '../../failures.ts'
import { callerOf } from '../../http/guard.ts'
import { refusalOf } from '../../http/problem.ts'

const TRIP_COOKIE = 'caelus_login'
const CALLBACK = '/api/v1/login/oidc/callback'
const publicLogin = { access: 'public', limit: 'login' } as const

export function loginRoutes(app: App, parts: ServerParts): void {
  const { users, sealer, oidc, clock, publicUrl, events } = parts
  const cookieOptions = (maxAgeMs: number, path = '/'): CookieSerializeOptions => ({
    path,
    httpOnly: true,
    sameSite: 'lax',
    secure: publicUrl().startsWith('https:'),
    maxAge: Math.floor(maxAgeMs / 1000),
  })
  const signIn = async (reply: FastifyReply, profile: Profile, auth: 'dev' | 'oidc'): Promise<Me> => {
    const user = await users.signIn(profile)
    if (user === undefined) throw raise.LoginFailed(whyUnknown(profile))
    const now = clock.now()
    const cookie = await sealer.session({ userId: user.id, auth }, now)
    void reply.setCookie(SESSION_COOKIE, cookie, cookieOptions(parts.sessionLifetimeMs))
    events.publish(
      { topic: 'events', kind: 'User', object_id: user.email, reason: 'LoggedIn', message: 'logged in', tone: 'info' },
      'admins',
    )
    return { id: user.id, email: user.email, role: user.role, auth }
  }

  app.get(
    '/login',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getLoginMethods',
        tags: ['identity'],
        summary: 'The ways to log in',
        response: { 200: LoginMethods },
      },
    },
    async (request) => ({ dev: whyNoDevLogin(request, parts) === undefined, oidc: oidc?.canLogIn === true }),
  )

  app.post(
    '/login/dev',
    {
      config: { ...publicLogin, idempotent: false },
      schema: {
        operationId: 'logInForDevelopment',
        tags: ['identity'],
        summary: 'Log in without a password, on loopback only',
        body: DevLogin,
        response: { 200: Me },
      },
    },
    async (request, reply) => {
      const why = whyNoDevLogin(request, parts)
      if (why !== undefined) throw raise.NotAllowed(`the development login is refused: ${why}`)
      if (siteOf(request.headers, [publicUrl()]) === 'other')
        throw raise.ForeignOrigin('a login must come from the console')
      const { email, role = 'member' } = request.body
      refuseUnstorable({ email })
      return signIn(reply, { subject: `dev#${email.toLowerCase()}`, email, isVerified: true, role }, 'dev')
    },
  )

  app.get(
    '/login/oidc',
    {
      config: publicLogin,
      errorHandler: toLoginPage,
      schema: {
        operationId: 'beginLogin',
        tags: ['identity'],
        summary: 'Send the browser to the identity provider',
        querystring: Type.Object({ return_to: Type.Optional(Type.String({ maxLength: 2048 })) }),
        response: { 302: Type.Null({ description: 'To the identity provider, or to the login page if that fails.' }) },
      },
    },
    async (request, reply) => {
      if (oidc?.canLogIn !== true) throw raise.NotFound('this installation has no OpenID Connect login')
      const { url, trip } = await oidc.begin(`${publicUrl()}${CALLBACK}`, ownPath(request.query.return_to))
      void reply.setCookie(TRIP_COOKIE, await sealer.trip(trip, clock.now()), cookieOptions(600_000, CALLBACK))
      return reply.redirect(url, 302)
    },
  )

  const callback = { config: publicLogin, schema: { hide: true }, errorHandler: toLoginPage } as const
  app.get('/login/oidc/callback', callback, async (request, reply) => {
    if (oidc?.canLogIn !== true) throw raise.NotFound('this installation has no OpenID Connect login')
    const cookie = request.cookies[TRIP_COOKIE]
    void reply.clearCookie(TRIP_COOKIE, { path: CALLBACK })
    const trip = cookie === undefined ? undefined : await sealer.openTrip(cookie, clock.now())
    if (trip === undefined)
      throw raise.LoginFailed('this login was not begun in this browser, or longer than 10 minutes ago')
    const profile = await oidc.finish(new URL(request.url, publicUrl()), trip)
    await signIn(reply, profile, 'oidc')
    return reply.redirect(trip.returnTo, 303)
  })

  app.post(
    '/logout',
    {
      config: { access: 'member', idempotent: false },
      schema: {
        operationId: 'logOut',
        tags: ['identity'],
        summary: 'End all browser sessions of this user',
        response: { 204: Type.Null({ description: 'Logged out.' }) },
      },
    },
    async (request, reply) => {
      await users.signOut(callerOf(request).userId, clock.now())
      return reply.clearCookie(SESSION_COOKIE, { path: '/' }).code(204).send(null)
    },
  )
}

/**
 * A browser that comes from elsewhere shows what it gets: a person is led to the login page, which knows what to say about a
 * code; the details are in the log under the id of the request. A program gets the problem.
 */
function toLoginPage(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  // What is thrown here is for the handler of all routes.
  if (!(request.headers.accept ?? '').includes('text/html')) throw error
  const { code, message } = refusalOf(error).failure
  request.log.warn({ code, failure: message }, 'Login failed')
  const { return_to: wanted } = request.query as { readonly return_to?: unknown }
  const returnTo = ownPath(typeof wanted === 'string' ? wanted : undefined)
  const query = { failure: code, request: request.id, ...(returnTo !== '/' && { return_to: returnTo }) }
  void reply.redirect(`/login?${new URLSearchParams(query).toString()}`, 303)
}

/**
 * The development login gives any role to anybody, so that it answers only the machine itself: bound to loopback,
 * called from loopback, by a loopback name (a foreign page could point its own name at 127.0.0.1) and past no proxy.
 */
function whyNoDevLogin(request: FastifyRequest, { devLogin }: ServerParts): string | undefined {
  const { localAddress, remoteAddress } = request.raw.socket
  if (!devLogin) return 'it is switched off'
  if (!isLoopbackAddress(localAddress)) return 'the server was reached by another address than loopback'
  if (!isLoopbackAddress(remoteAddress)) return 'the request does not come from this machine'
  if (!isLoopbackHost(request.headers.host)) return 'the server was called by another name than localhost'
  if (request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined)
    return 'there is a proxy in between'
  return undefined
}

const OWN = 'http://own.invalid'

/**
 * Only a path of this console: anything else could lead the user elsewhere. Compared as browsers read it, which drop tabs and
 * line ends.
 */
function ownPath(wanted = '/'): string {
  const url = URL.parse(wanted, OWN)
  if (!wanted.startsWith('/') || url === null || url.origin !== OWN) return '/'
  const path = `${url.pathname}${url.search}${url.hash}`
  return path.startsWith('//') ? '/' : path
}
