import { expect, test } from 'vitest'
import { world, type World } from '../world.ts'

const loopback = { host: '127.0.0.1:8080' }
const logIn = (
  w: World,
  headers: Record<string, string> = {},
  remoteAddress = '127.0.0.1',
  email = 'ada@example.test',
) =>
  w.app.inject({
    method: 'POST',
    url: '/api/v1/login/dev',
    payload: { email, role: 'admin' },
    headers: { ...loopback, ...headers },
    remoteAddress,
  })

/** `inject` makes a socket without addresses; the guard looks at both ends. */
async function loopbackWorld(): Promise<World> {
  const w = await world()
  w.app.addHook('onRequest', async ({ raw }) => {
    Object.defineProperty(raw.socket, 'localAddress', { value: '127.0.0.1', configurable: true })
  })
  return w
}

test('the development login opens a session, and logging out ends all of them', async () => {
  await using w = await loopbackWorld()
  expect((await w.app.inject({ url: '/api/v1/login', headers: loopback })).json()).toEqual({ dev: true, oidc: false })
  const answer = await logIn(w)
  expect(answer.json()).toMatchObject({ email: 'ada@example.test', role: 'admin', auth: 'dev' })
  const [cookie] = answer.cookies
  expect(cookie).toMatchObject({ name: 'caelus_session', httpOnly: true, sameSite: 'Lax', path: '/' })
  const cookies = { caelus_session: cookie?.value ?? '' }
  const me = () => w.app.inject({ url: '/api/v1/me', cookies })
  expect((await me()).json()).toMatchObject({ email: 'ada@example.test', auth: 'dev' })

  const out = await w.app.inject({
    method: 'POST',
    url: '/api/v1/logout',
    cookies,
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  expect(out.statusCode).toBe(204)
  expect((await me()).statusCode).toBe(401)
  const [newCookie] = (await logIn(w)).cookies
  expect(
    (await w.app.inject({ url: '/api/v1/me', cookies: { caelus_session: newCookie?.value ?? '' } })).statusCode,
  ).toBe(200)
})

test('the development login refuses an email that cannot be stored', async () => {
  await using w = await loopbackWorld()
  const answer = await logIn(w, {}, '127.0.0.1', 'a\0b@example.test')
  expect(answer.json()).toMatchObject({ status: 400, errors: [{ field: 'email' }] })
})

test.each([
  ['another machine', {}, '10.1.2.3'],
  ['a name that merely resolves to loopback', { host: 'evil.test:8080' }, '127.0.0.1'],
  ['behind a proxy', { 'x-forwarded-for': '10.1.2.3' }, '127.0.0.1'],
])('the development login is refused from %s', async (_where, headers, address) => {
  await using w = await loopbackWorld()
  expect((await logIn(w, headers, address)).json()).toMatchObject({ status: 403, code: 'NotAllowed' })
})

test('the development login is refused when it is switched off, and by foreign pages', async () => {
  await using off = await world({ parts: { devLogin: false } })
  expect((await logIn(off)).json()).toMatchObject({ status: 403, detail: expect.stringContaining('switched off') })
  await using on = await loopbackWorld()
  expect((await logIn(on, { origin: 'http://evil.test' })).json()).toMatchObject({ code: 'ForeignOrigin' })
})

test.each([
  ['a foreign site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['a foreign origin', { origin: 'http://evil.test' }, 403],
  ['nobody knows where', {}, 403],
  ['the console', { 'sec-fetch-site': 'same-origin' }, 201],
  ['the console in an older browser', { origin: 'http://127.0.0.1:8080' }, 201],
])('a change by cookie from %s', async (_where, headers, status) => {
  await using w = await loopbackWorld()
  const [cookie] = (await logIn(w)).cookies
  const answer = await w.app.inject({
    method: 'POST',
    url: '/api/v1/tokens',
    cookies: { caelus_session: cookie?.value ?? '' },
    payload: { name: 'ci', role: 'member' },
    headers,
  })
  expect(answer.statusCode).toBe(status)
})
