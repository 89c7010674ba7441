import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import { Provider } from 'oidc-provider'
import { expect, test } from 'vitest'
import { oidc, type OidcOptions } from '../../../src/api/index.ts'
import { world, type World } from '../world.ts'

const CLIENT = { id: 'console', secret: 'a-client-secret', scopes: 'openid email groups' }

interface Issuer extends AsyncDisposable {
  readonly url: string
  readonly key: CryptoKey
}

/** A real OpenID Connect provider on loopback, at which everybody is Ada unless they ask to be somebody else. */
async function issuer(callback: string, port = 0): Promise<Issuer> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const provider = new Provider(url, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [callback],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', kid: 'k1', use: 'sig' }] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    scopes: ['openid', 'email', 'groups'],
    conformIdTokenClaims: false,
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@example.test`,
        email_verified: true,
        groups: id === 'ada' ? ['platform'] : [],
      }),
    }),
    cookies: { keys: ['test'] },
  })
  server.on('request', provider.callback())
  return { url, key: privateKey, [Symbol.asyncDispose]: () => close(server) }
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

const CALLBACK = 'http://127.0.0.1:8080/api/v1/login/oidc/callback'

const withIssuer = (url: string, options: Partial<OidcOptions> = {}): Promise<World> =>
  world({
    parts: {
      oidc: oidc({
        issuer: url,
        audience: CLIENT.id,
        client: CLIENT,
        admin: { claim: 'groups', value: 'platform' },
        ...options,
      }),
    },
  })

/** A bearer token as an issuer signs it. */
const bearer = (
  { url, key }: Issuer,
  sub: string,
  claims: Record<string, unknown>,
  header: Record<string, string> = {},
): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header })
    .setSubject(sub)
    .setIssuedAt()
    .setIssuer(url)
    .setAudience(CLIENT.id)
    .setExpirationTime('1m')
    .sign(key)

const verified = (email: string): Record<string, unknown> => ({ email, email_verified: true })
const get = async (w: World, token: string, url: string) => (await w.as(token, { url: `/api/v1${url}` })).json()

/** A browser that follows redirects by hand and keeps cookies. Answers where it ends up outside of the issuer. */
async function walkThrough(start: string, login: string): Promise<URL> {
  const jar = new Map<string, string>()
  const go = async (url: string, form?: Record<string, string>): Promise<Response> => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      jar.set(name, value)
    }
    return response
  }
  let url = start
  for (let hops = 0; hops < 12; hops++) {
    let response = await go(url)
    if (response.status === 200) {
      const page = await response.text()
      const [, action = ''] = /action="([^"]+)"/.exec(page) ?? []
      const prompt = page.includes('name="login"') ? 'login' : 'consent'
      response = await go(new URL(action, url).href, { prompt, login, password: 'x' })
    }
    const next = new URL(response.headers.get('location') ?? '', url)
    if (next.origin !== new URL(start).origin) return next
    url = next.href
  }
  throw new Error('the issuer never sent the browser back')
}

test('somebody logs in with the code flow and is an admin by a claim', async () => {
  await using provider = await issuer(CALLBACK)
  await using w = await withIssuer(provider.url)
  const begin = await w.app.inject({ url: '/api/v1/login/oidc?return_to=/operations/tokens' })
  expect(begin.statusCode).toBe(302)
  const away = new URL(String(begin.headers.location))
  expect(away.searchParams.get('code_challenge_method')).toBe('S256')
  const [trip] = begin.cookies
  const back = await walkThrough(away.href, 'ada')
  expect(back.href.startsWith(CALLBACK)).toBe(true)

  const comeBack = (cookies: Record<string, string>) => w.app.inject({ url: `${back.pathname}${back.search}`, cookies })
  expect((await comeBack({})).json()).toMatchObject({ status: 401, code: 'LoginFailed' })
  const done = await comeBack({ caelus_login: trip?.value ?? '' })
  expect([done.statusCode, done.headers.location]).toEqual([303, '/operations/tokens'])
  const session = done.cookies.find(({ name }) => name === 'caelus_session')
  const me = await w.app.inject({ url: '/api/v1/me', cookies: { caelus_session: session?.value ?? '' } })
  expect(me.json()).toMatchObject({ email: 'ada@example.test', role: 'admin', auth: 'oidc' })
  expect((await comeBack({ caelus_login: trip?.value ?? '' })).json()).toMatchObject({ code: 'LoginFailed' })
})

test('a login that fails leads a person to the login page, and says what to a program', async () => {
  await using provider = await issuer(CALLBACK)
  await using w = await withIssuer(provider.url)
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const lost = await w.app.inject({ url: '/api/v1/login/oidc/callback?code=x&state=y', headers: browser })
  const request = String(lost.headers['x-request-id'])
  expect([lost.statusCode, lost.headers.location]).toEqual([303, `/login?failure=LoginFailed&request=${request}`])
  expect(request).toMatch(/^[0-9a-f-]{36}$/)

  const begin = await w.app.inject({ url: '/api/v1/login/oidc', headers: browser })
  const cookies = { caelus_login: begin.cookies[0]?.value ?? '' }
  const state = new URL(String(begin.headers.location)).searchParams.get('state') ?? ''
  const refused = { url: `/api/v1/login/oidc/callback?error=access_denied&state=${state}&iss=${provider.url}`, cookies }
  expect((await w.app.inject({ ...refused, headers: browser })).headers.location).toContain(
    '/login?failure=LoginFailed&',
  )
  expect((await w.app.inject(refused)).json()).toMatchObject({
    code: 'LoginFailed',
    detail: expect.stringContaining('access_denied'),
  })
})

test.each(['//evil.test', 'https://evil.test/', '/\\evil.test', '/\t/evil.test', '/.//evil.test', 'apps'])(
  'a login does not lead to %j',
  async (target) => {
    await using provider = await issuer(CALLBACK)
    await using w = await withIssuer(provider.url)
    const begin = await w.app.inject({ url: `/api/v1/login/oidc?return_to=${encodeURIComponent(target)}` })
    const back = await walkThrough(String(begin.headers.location), 'bob')
    const done = await w.app.inject({
      url: `${back.pathname}${back.search}`,
      cookies: { caelus_login: begin.cookies[0]?.value ?? '' },
    })
    expect(done.headers.location).toBe('/')
  },
)

test('a bearer token of the issuer is accepted; one that is expired, for others, of others or forged is not', async () => {
  await using provider = await issuer(CALLBACK)
  await using w = await withIssuer(provider.url)
  const token = (claims: { aud?: string; iss?: string; exp?: number }, key = provider.key) =>
    new SignJWT({ ...verified('bob@example.test'), groups: [] })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setSubject('bob')
      .setIssuedAt()
      .setIssuer(claims.iss ?? provider.url)
      .setAudience(claims.aud ?? CLIENT.id)
      .setExpirationTime(claims.exp ?? Math.floor(Date.now() / 1000) + 60)
      .sign(key)
  const me = (sent: string) => get(w, sent, '/me')
  expect(await me(await token({}))).toMatchObject({ email: 'bob@example.test', role: 'member', auth: 'oidc' })

  const stranger = (await generateKeyPair('RS256')).privateKey
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await token({})).split('.')[1]}.`
  for (const bad of [
    await token({ exp: Math.floor(Date.now() / 1000) - 60 }),
    await token({ aud: 'somebody-else' }),
    await token({ iss: 'http://127.0.0.1:1' }),
    await token({}, stranger),
    unsigned,
  ]) {
    expect(await me(bad)).toMatchObject({ status: 401, code: 'NotSignedIn' })
  }
})

test('a name that looks like an email neither takes over a user nor accepts an invitation; a verified email does', async () => {
  await using provider = await issuer(CALLBACK)
  await using w = await withIssuer(provider.url)
  const root = await w.person('admin')
  const owner = await w.person('member')
  const post = async (by: string, url: string, payload: object) =>
    (await w.as(by, { method: 'POST', url: `/api/v1${url}`, payload })).json()
  await post(root.secret, '/users', { email: 'eve@example.test', is_admin: true })
  const { id } = await post(owner.secret, '/organizations', { name: 'Acme' })
  await post(owner.secret, `/organizations/${id}/invitations`, { email: 'mallory@example.test', role: 'owner' })

  const token = (sub: string, claims: Record<string, unknown>) => bearer(provider, sub, claims)
  expect(await get(w, await token('s1', { preferred_username: 'eve@example.test' }), '/me')).toMatchObject({
    email: 's1',
  })
  const mallory = await token('s2', { preferred_username: 'mallory@example.test' })
  expect((await get(w, mallory, '/organizations')).items).toEqual([])
  expect(await get(w, await token('s3', { preferred_username: 'robot' }), '/me')).toMatchObject({ email: 'robot' })
  expect(await get(w, await token('x@example.test', {}), '/me')).toMatchObject({
    code: 'NotSignedIn',
    detail: expect.stringContaining('email'),
  })
  for (const proof of [{}, { email_verified: false }, { email_verified: 'false' }, { email_verified: null }]) {
    const unverified = await token('s4', { email: 'mallory@example.test', ...proof })
    expect(await get(w, unverified, '/me')).toMatchObject({ code: 'NotSignedIn' })
  }
  const invited = await token('s5', verified('Mallory@example.test'))
  expect((await get(w, invited, '/organizations')).items).toMatchObject([{ id, role: 'owner' }])
})

test('an issuer that never says so is trusted with emails when the operator says so', async () => {
  await using provider = await issuer(CALLBACK)
  await using w = await withIssuer(provider.url, { trustsEmail: true })
  const root = await w.person('admin')
  const created = await w.as(root.secret, {
    method: 'POST',
    url: '/api/v1/users',
    payload: { email: 'eve@example.test' },
  })
  const eve = await bearer(provider, 's1', { email: 'eve@example.test' })
  expect(await get(w, eve, '/me')).toMatchObject({ id: created.json().id })
  const refused = await bearer(provider, 's2', { email: 'bob@example.test', email_verified: false })
  expect(await get(w, refused, '/me')).toMatchObject({ code: 'NotSignedIn' })
})

test('a known user is neither renamed nor refused by a token without a verified email', async () => {
  await using provider = await issuer(CALLBACK)
  await using w = await withIssuer(provider.url)
  const email = 'bob@example.test'
  const { id } = await get(w, await bearer(provider, 'bob', verified(email)), '/me')
  for (const claims of [
    {},
    { preferred_username: 'bobby' },
    { email: 'root@example.test' },
    { email: 'root@example.test', email_verified: false },
  ]) {
    expect(await get(w, await bearer(provider, 'bob', claims), '/me')).toMatchObject({ id, email })
  }
  const renamed = await bearer(provider, 'bob', verified('robert@example.test'))
  expect(await get(w, renamed, '/me')).toMatchObject({ id, email: 'robert@example.test' })
})

test('the role in a bearer token counts for its request and is not stored', async () => {
  await using provider = await issuer(CALLBACK)
  await using w = await withIssuer(provider.url)
  const email = verified('bob@example.test')
  const promoted = await bearer(provider, 'bob', { ...email, groups: ['platform'] })
  const silent = await bearer(provider, 'bob', email)
  const { id } = await get(w, silent, '/me')
  const root = await w.person('admin')
  const stored = async () => (await get(w, root.secret, `/users/${id}`)).is_admin

  // A token from before the demotion.
  expect(await get(w, promoted, '/me')).toMatchObject({ role: 'admin' })
  expect(await stored()).toBe(false)
  expect(await get(w, silent, '/me')).toMatchObject({ role: 'member' })

  await w.as(root.secret, { method: 'PATCH', url: `/api/v1/users/${id}`, payload: { is_admin: true } })
  expect(await get(w, silent, '/me')).toMatchObject({ role: 'admin' })
  expect(await get(w, await bearer(provider, 'bob', { ...email, groups: [] }), '/me')).toMatchObject({ role: 'member' })
  expect(await stored()).toBe(true)
})

test('an ID token is not an API token, and the operator may name the type of those that are', async () => {
  await using provider = await issuer(CALLBACK)
  const email = verified('bob@example.test')
  const idTokens = [{ nonce: 'n' }, { at_hash: 'h' }, { typ: 'ID' }]
  {
    await using w = await withIssuer(provider.url)
    for (const mark of idTokens) {
      expect(await get(w, await bearer(provider, 'bob', { ...email, ...mark }), '/me')).toMatchObject({
        code: 'NotSignedIn',
        detail: expect.stringContaining('ID token'),
      })
    }
  }
  await using w = await withIssuer(provider.url, { tokenType: 'at+jwt' })
  expect(await get(w, await bearer(provider, 'bob', email), '/me')).toMatchObject({ code: 'NotSignedIn' })
  const typed = await bearer(provider, 'bob', { ...email, nonce: 'n' }, { typ: 'at+jwt' })
  expect(await get(w, typed, '/me')).toMatchObject({ email: 'bob@example.test' })
})

test('a login in the browser writes the role of its claim', async () => {
  await using provider = await issuer(CALLBACK)
  await using w = await withIssuer(provider.url)
  const logIn = async (): Promise<string> => {
    const begin = await w.app.inject({ url: '/api/v1/login/oidc' })
    const back = await walkThrough(String(begin.headers.location), 'ada')
    const cookies = { caelus_login: begin.cookies[0]?.value ?? '' }
    const done = await w.app.inject({ url: `${back.pathname}${back.search}`, cookies })
    const caelus_session = done.cookies.find(({ name }) => name === 'caelus_session')?.value ?? ''
    return (await w.app.inject({ url: '/api/v1/me', cookies: { caelus_session } })).json().id
  }
  const root = await w.person('admin')
  const id = await logIn()
  expect(await get(w, root.secret, `/users/${id}`)).toMatchObject({ is_admin: true })
  await w.as(root.secret, { method: 'PATCH', url: `/api/v1/users/${id}`, payload: { is_admin: false } })
  await logIn()
  expect(await get(w, root.secret, `/users/${id}`)).toMatchObject({ is_admin: true })
})

test('an issuer that is away is named, and found when it comes back', async () => {
  const gone = await issuer(CALLBACK)
  await gone[Symbol.asyncDispose]()
  await using w = await withIssuer(gone.url)
  const url = '/api/v1/login/oidc?return_to=/operations'
  const shown = await w.app.inject({ url, headers: { accept: 'text/html' } })
  expect(shown.headers.location).toMatch(/^\/login\?failure=LoginUnavailable&request=.*&return_to=%2Foperations$/)
  const answer = await w.app.inject({ url })
  expect(answer.json()).toMatchObject({
    status: 503,
    code: 'LoginUnavailable',
    whose_move: 'operator',
    retryable: true,
  })
})
