import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import type { Routes } from '../../src/api/index.ts'
import { LIMITS, world } from './world.ts'

test('every wrong field of a body is named, and nothing is silently dropped', async () => {
  await using w = await world()
  const { secret } = await w.person('member')
  const answer = await w.as(secret, {
    method: 'POST',
    url: '/api/v1/tokens',
    payload: { name: '', role: 'root', colour: 'red' },
  })
  expect(answer.json()).toMatchObject({
    status: 400,
    code: 'InvalidRequest',
    errors: [
      { field: 'colour', message: 'is not a known field' },
      { field: 'name', message: 'must not have fewer than 1 characters' },
      { field: 'role', message: 'must be one of admin, member' },
    ],
  })
})

test('what is no request of ours is refused in the same form', async () => {
  await using w = await world()
  const { secret } = await w.person('member')
  const post = (payload: string, type = 'application/json') =>
    w.as(secret, { method: 'POST', url: '/api/v1/tokens', payload, headers: { 'content-type': type } })
  expect((await post('{')).json()).toMatchObject({ status: 400, code: 'InvalidRequest' })
  expect((await post('a=b', 'text/x-other')).json()).toMatchObject({ status: 415, code: 'UnsupportedMediaType' })
  expect((await post(JSON.stringify({ name: 'x'.repeat(LIMITS.bodyBytes) }))).json()).toMatchObject({
    status: 413,
    code: 'TooLarge',
  })
  expect((await w.as(secret, { url: '/api/v1/tokens?limit=0' })).json()).toMatchObject({ errors: [{ field: 'limit' }] })
  expect((await w.as(secret, { url: '/api/v1/tokens?cursor=x' })).json()).toMatchObject({
    errors: [{ field: 'cursor' }],
  })
  expect((await w.app.inject({ url: '/api/v1/nothing' })).json()).toMatchObject({ status: 404, code: 'NotFound' })
  expect((await w.app.inject({ method: 'PUT', url: '/api/v1/me' })).json()).toMatchObject({
    status: 404,
    code: 'NotFound',
  })
})

test('a content type without a body is no body', async () => {
  await using w = await world()
  const { secret } = await w.person('member')
  const made = await w.as(secret, { method: 'POST', url: '/api/v1/tokens', payload: { name: 'short', role: 'member' } })
  const headers = { 'content-type': 'application/json' }
  const url = `/api/v1/tokens/${made.json().id}`
  expect((await w.as(secret, { method: 'DELETE', url, headers })).statusCode).toBe(204)
  const empty = await w.as(secret, { method: 'POST', url: '/api/v1/tokens', headers })
  expect(empty.json()).toMatchObject({ status: 400, code: 'InvalidRequest' })
})

test('a defect answers without its text or stack, and the log has both under the request id', async () => {
  await using w = await world({
    parts: {
      routes: [
        (app) =>
          void app.get('/broken', { config: { access: 'public' } }, async () => {
            throw new Error('the wheel came off in cart.ts')
          }),
      ],
    },
  })
  const answer = await w.app.inject({ url: '/api/v1/broken', headers: { 'x-request-id': 'find-me-123' } })
  expect(answer.json()).toMatchObject({ status: 500, code: 'Internal', request_id: 'find-me-123', retryable: true })
  expect(answer.body).not.toMatch(/wheel|cart|at .*\.ts/)
  const line = w.log.map((text) => JSON.parse(text)).find(({ msg }) => msg === 'Request failed')
  expect(line).toMatchObject({ request: 'find-me-123', error: { message: 'the wheel came off in cart.ts' } })
})

test('every answer carries a request id and secure headers, the sane id of the caller included', async () => {
  await using w = await world()
  for (const url of ['/healthz', '/api/v1/me', '/nowhere', '/api/v1/openapi.json']) {
    const { headers } = await w.app.inject({ url, headers: { 'x-request-id': 'bad id\twith "signs"' } })
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    })
    expect(headers['content-security-policy']).toContain("default-src 'none'")
  }
})

test('a route that does not say who may use it stops the server from starting', async () => {
  const forgetful = world({ parts: { routes: [(app) => void app.get('/open', async () => 'hi')] } })
  await expect(forgetful).rejects.toThrow('GET /api/v1/open does not say who may use it')
})

test('requests beyond the limit are refused with the time to wait, each user by themselves', async () => {
  await using w = await world({ parts: { limits: { ...LIMITS, perMinute: 3 } } })
  const [ada, bob] = [await w.person('member'), await w.person('member')]
  for (let i = 0; i < 3; i++) expect((await w.as(ada.secret, { url: '/api/v1/me' })).statusCode).toBe(200)
  const refused = await w.as(ada.secret, { url: '/api/v1/me' })
  expect(refused.json()).toMatchObject({ status: 429, code: 'TooManyRequests', retryable: true })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  const spelled = { authorization: `bearer   ${ada.secret}` }
  expect((await w.app.inject({ url: '/api/v1/me', headers: spelled })).statusCode).toBe(429)
  expect((await w.as(bob.secret, { url: '/api/v1/me' })).statusCode).toBe(200)
})

test('guessing tokens exhausts the guesser’s address', async () => {
  await using w = await world({ parts: { limits: { ...LIMITS, perMinute: 1 } } })
  const codes: number[] = []
  for (let i = 0; i < 6; i++) codes.push((await w.as(`cael_guess${i}`, { url: '/api/v1/me' })).statusCode)
  expect(codes).toEqual([401, 401, 401, 401, 401, 429])
  expect((await w.app.inject({ url: '/healthz' })).statusCode).toBe(200)
})

test('the server does not start with a write that does not say whether it honours Idempotency-Key', async () => {
  const route: Routes = (app) => void app.post('/things', { config: { access: 'member' } }, async () => null)
  await expect(world({ parts: { routes: [route] } })).rejects.toThrow(
    'route POST /api/v1/things does not say whether it honours Idempotency-Key',
  )
})

test('the same Idempotency-Key does the work once and answers the same twice', async () => {
  let made = 0
  await using w = await world({
    parts: {
      routes: [
        (app) =>
          void app.post(
            '/things',
            { config: { access: 'member', idempotent: true }, schema: { body: Type.Object({ size: Type.Integer() }) } },
            async ({ body }, reply) => {
              if (body.size < 0) throw new Error('broken')
              return reply.code(201).send({ number: ++made })
            },
          ),
      ],
    },
  })
  const [ada, bob] = [await w.person('member'), await w.person('member')]
  const post = (who: typeof ada, key: string, size: number) =>
    w.as(who.secret, { method: 'POST', url: '/api/v1/things', payload: { size }, headers: { 'idempotency-key': key } })

  const first = await post(ada, 'k1', 1)
  const again = await post(ada, 'k1', 1)
  expect([first.statusCode, first.json()]).toEqual([201, { number: 1 }])
  expect([again.statusCode, again.json(), again.headers['idempotency-replayed']]).toEqual([201, { number: 1 }, 'true'])
  expect((await post(ada, 'k1', 2)).json()).toMatchObject({ status: 422, code: 'IdempotencyKeyReused' })
  expect((await post(bob, 'k1', 2)).json()).toEqual({ number: 2 })
  expect((await post(ada, 'with space', 1)).json()).toMatchObject({
    status: 400,
    errors: [{ field: 'Idempotency-Key' }],
  })

  expect((await post(ada, 'k2', -1)).statusCode).toBe(500)
  expect((await post(ada, 'k2', -1)).statusCode).toBe(500)
  const many = await Promise.all(Array.from({ length: 8 }, () => post(ada, 'k3', 3)))
  expect(many.filter(({ statusCode }) => statusCode !== 201 && statusCode !== 409)).toEqual([])
  expect(made).toBe(3)
})

test('readiness names each check with its age; what is not required does not decide', async () => {
  let isWell = true
  await using w = await world({
    checks: [
      {
        name: 'database',
        required: true,
        probe: async () => (isWell ? 'fine' : Promise.reject(new Error('connection refused'))),
      },
      { name: 'kubernetes', required: false, probe: () => Promise.reject(new Error('no route')) },
    ],
  })
  const ready = await w.app.inject({ url: '/readyz' })
  expect(ready.statusCode).toBe(200)
  expect(ready.json()).toMatchObject({
    status: 'ok',
    checks: [
      { name: 'database', ok: true, required: true, message: 'fine', age_ms: expect.any(Number) },
      { name: 'kubernetes', ok: false, required: false, message: 'no route' },
    ],
  })
  isWell = false
  await expect.poll(async () => (await w.app.inject({ url: '/readyz' })).statusCode).toBe(503)
})

test('the status tells of components as they report', async () => {
  await using w = await world()
  const { secret } = await w.person('member')
  w.parts.board.component('postgresql', { health: 'ok', message: 'answers', version: '18.4' })
  w.parts.board.domain('apps', { enabled: true, health: 'ok', message: '', objects: 3, not_ready: 1 })
  const status = (await w.as(secret, { url: '/api/v1/status' })).json()
  expect(status.components).toMatchObject([{ name: 'postgresql', health: 'ok', version: '18.4' }])
  expect(status.domains.map((domain: { name: string; enabled: boolean }) => [domain.name, domain.enabled])).toEqual([
    ['apps', true],
    ['clusters', false],
    ['runtimes', false],
    ['actions', false],
    ['edge', false],
  ])
  const events = (await w.as(secret, { url: '/api/v1/events?limit=1' })).json()
  expect(events.items).toMatchObject([{ topic: 'status', kind: 'Domain', object_id: 'apps' }])
  const next = (await w.as(secret, { url: `/api/v1/events?limit=1&cursor=${events.next_cursor}` })).json()
  expect(next).toMatchObject({ items: [{ object_id: 'postgresql' }], next_cursor: null })
})

test('the console is served with its pages, its files and a page for when it is not built', async () => {
  await using w = await world()
  const get = (url: string) => w.app.inject({ url })
  expect((await get('/')).statusCode).toBe(503)
  expect((await get('/')).body).toContain('not built yet')

  await mkdir(join(w.consoleDir, 'assets'))
  await writeFile(join(w.consoleDir, 'index.html'), '<html>console</html>')
  await writeFile(join(w.consoleDir, 'assets/app-1a2b.js'), 'js')
  for (const url of ['/', '/operations/tokens', '/apps/1']) {
    const page = await get(url)
    expect([page.statusCode, page.body, page.headers['cache-control']]).toEqual([
      200,
      '<html>console</html>',
      'no-cache',
    ])
    expect(page.headers['content-security-policy']).toContain("script-src 'self'")
  }
  const file = await get('/assets/app-1a2b.js')
  expect([file.statusCode, file.body, file.headers['cache-control']]).toEqual([
    200,
    'js',
    'public, max-age=31536000, immutable',
  ])
  expect((await get('/assets/gone.js')).statusCode).toBe(404)
  for (const url of ['/../package.json', '/..%2fpackage.json', '/.built-from'])
    expect((await get(url)).body).not.toContain('caelus"')
})
