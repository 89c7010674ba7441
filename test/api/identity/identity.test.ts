import { expect, test } from 'vitest'
import { asUser, auditOf } from '../../../src/store/index.ts'
import { world } from '../world.ts'

test('a token says who calls, and /me repeats it', async () => {
  await using w = await world()
  const { userId, secret } = await w.person('admin', 'ada@example.test')
  const answer = await w.as(secret, { url: '/api/v1/me' })
  expect(answer.json()).toEqual({ id: userId, email: 'ada@example.test', role: 'admin', auth: 'token' })
})

test.each([
  ['no proof at all', {}, 'this needs a login'],
  ['an unknown API token', { authorization: 'Bearer cael_0123456789' }, 'unknown, expired or revoked'],
  ['a foreign token', { authorization: 'Bearer abc' }, 'is no API token'],
  ['another scheme', { authorization: 'Basic abc' }, 'Bearer <token>'],
])('%s is refused with 401 and a next step', async (_what, headers, detail) => {
  await using w = await world()
  const answer = await w.app.inject({ url: '/api/v1/me', headers: { ...headers, 'x-request-id': 'my-request-1' } })
  expect(answer.statusCode).toBe(401)
  expect(answer.headers['content-type']).toContain('application/problem+json')
  expect(answer.headers['www-authenticate']).toContain('Bearer')
  expect(answer.json()).toMatchObject({
    type: 'urn:caelus:failure:NotSignedIn',
    status: 401,
    detail: expect.stringContaining(detail),
    code: 'NotSignedIn',
    whose_move: 'user',
    retryable: false,
    next_step: expect.stringContaining('Log in'),
    request_id: 'my-request-1',
  })
})

test('a new token is shown once, listed without its secret, works, and dies when revoked', async () => {
  await using w = await world()
  const { secret: mine } = await w.person('member')
  const created = await w.as(mine, {
    method: 'POST',
    url: '/api/v1/tokens',
    payload: { name: 'ci', role: 'member', expires_in_days: 7 },
  })
  expect(created.statusCode).toBe(201)
  const { id, secret, prefix } = created.json()
  expect(secret).toMatch(/^cael_[\w-]{43}$/)
  expect(secret.startsWith(prefix)).toBe(true)

  const list = await w.as(secret, { url: '/api/v1/tokens' })
  expect(
    list
      .json()
      .items.map((token: { name: string }) => token.name)
      .toSorted(),
  ).toEqual(['ci', 'test'])
  expect(list.body).not.toContain(secret)
  const stored = await w.pool.query('select * from caelus.find_token(sha256($1::bytea))', [Buffer.from(secret)])
  expect(stored).toMatchObject([{ name: 'ci', last_used_at: expect.any(Date) }])
  expect(JSON.stringify(stored)).not.toContain(secret)

  expect((await w.as(mine, { method: 'DELETE', url: `/api/v1/tokens/${id}` })).statusCode).toBe(204)
  expect((await w.as(secret, { url: '/api/v1/me' })).statusCode).toBe(401)
  expect((await w.as(mine, { method: 'DELETE', url: `/api/v1/tokens/${id}` })).statusCode).toBe(404)
})

test('an expired token is refused', async () => {
  let now = Date.now()
  await using w = await world({ parts: { clock: { now: () => now, elapsed: () => now, after: () => () => {} } } })
  const { secret: mine } = await w.person('member')
  const { secret } = (
    await w.as(mine, {
      method: 'POST',
      url: '/api/v1/tokens',
      payload: { name: 'short', role: 'member', expires_in_days: 1 },
    })
  ).json()
  expect((await w.as(secret, { url: '/api/v1/me' })).statusCode).toBe(200)
  now += 86_400_001
  expect((await w.as(secret, { url: '/api/v1/me' })).statusCode).toBe(401)
})

test('a token creates none that lives longer than itself', async () => {
  await using w = await world()
  const { secret: mine } = await w.person('member')
  const create = async (by: string, expires_in_days?: number | null) =>
    (
      await w.as(by, { method: 'POST', url: '/api/v1/tokens', payload: { name: 'x', role: 'member', expires_in_days } })
    ).json()
  const short = await create(mine, 3)
  for (const days of [null, 3, 30]) {
    expect(await create(short.secret, days)).toMatchObject({ status: 400, errors: [{ field: 'expires_in_days' }] })
  }
  expect(await create(short.secret)).toMatchObject({ expires_at: short.expires_at })
  const shorter = await create(short.secret, 1)
  expect(Date.parse(shorter.expires_at)).toBeLessThan(Date.parse(short.expires_at))
  expect(await create(mine)).toMatchObject({ expires_at: null })
})

test('creating and revoking a token leaves audit rows without its name or secret', async () => {
  await using w = await world()
  const ada = await w.person('member')
  const payload = { name: 'for the payroll', role: 'member' }
  const { id, secret, prefix } = (await w.as(ada.secret, { method: 'POST', url: '/api/v1/tokens', payload })).json()
  for (const status of [204, 404]) {
    expect((await w.as(ada.secret, { method: 'DELETE', url: `/api/v1/tokens/${id}` })).statusCode).toBe(status)
  }
  const rows = await asUser(w.pool, { userId: ada.userId, admin: false }, (tx) => auditOf(tx, { kind: 'ApiToken', id }))
  const row = { actor: ada.userId, detail: { prefix, role: 'member' } }
  expect(rows).toMatchObject([
    { ...row, action: 'revoked' },
    { ...row, action: 'created' },
  ])
  expect(JSON.stringify(rows)).not.toMatch(new RegExp(`payroll|${secret}`))
})

test('nobody sees or revokes the tokens of another', async () => {
  await using w = await world()
  const [ada, bob] = [await w.person('member'), await w.person('admin')]
  const [token] = (await w.as(ada.secret, { url: '/api/v1/tokens' })).json().items
  expect((await w.as(bob.secret, { method: 'DELETE', url: `/api/v1/tokens/${token.id}` })).statusCode).toBe(404)
  expect((await w.as(bob.secret, { url: '/api/v1/tokens' })).json().items).not.toContainEqual(token)
})

test('tokens are paged without gaps', async () => {
  await using w = await world()
  const { secret } = await w.person('member')
  for (const name of ['a', 'b', 'c', 'd']) {
    await w.as(secret, { method: 'POST', url: '/api/v1/tokens', payload: { name, role: 'member' } })
  }
  type Page = { items: { name: string }[]; next_cursor: string | null }
  const page = async (limit: number, cursor = ''): Promise<Page> =>
    (await w.as(secret, { url: `/api/v1/tokens?limit=${limit}${cursor && `&cursor=${cursor}`}` })).json<Page>()
  const paged: Page['items'] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { items, next_cursor }: Page = await page(2, cursor)
    paged.push(...items)
    cursor = next_cursor
  }
  // Two that were made within one millisecond may be in any order, but always in the same one.
  const { items: whole } = await page(100)
  expect(paged).toEqual(whole)
  expect(whole.map(({ name }) => name).toSorted()).toEqual(['a', 'b', 'c', 'd', 'test'])
})

test('a member is refused what needs an admin, and cannot make an admin token', async () => {
  await using w = await world()
  const { secret } = await w.person('member')
  expect((await w.as(secret, { url: '/api/v1/config' })).json()).toMatchObject({ status: 403, code: 'NotAllowed' })
  const made = await w.as(secret, { method: 'POST', url: '/api/v1/tokens', payload: { name: 'x', role: 'admin' } })
  expect(made.json()).toMatchObject({ status: 403, code: 'NotAllowed' })
})

test('an admin token of somebody who is no admin any more is a member token', async () => {
  await using w = await world()
  const { secret } = await w.person('admin', 'ada@example.test')
  expect((await w.as(secret, { url: '/api/v1/config' })).statusCode).toBe(200)
  await w.parts.users.signIn({
    subject: 'test#ada@example.test',
    email: 'ada@example.test',
    isVerified: true,
    role: 'member',
  })
  expect((await w.as(secret, { url: '/api/v1/config' })).statusCode).toBe(403)
})

test('an email that logs in under one subject cannot be taken by another', async () => {
  await using w = await world()
  const { users } = w.parts
  const ada = await users.signIn({ subject: 'a#1', email: 'Ada@example.test', isVerified: true, role: undefined })
  expect(
    await users.signIn({ subject: 'b#1', email: 'ada@Example.test', isVerified: true, role: 'admin' }),
  ).toBeUndefined()
  expect(
    await users.signIn({ subject: 'a#1', email: 'ada.l@example.test', isVerified: true, role: undefined }),
  ).toEqual({
    ...ada,
    email: 'ada.l@example.test',
  })
})
