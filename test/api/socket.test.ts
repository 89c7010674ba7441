import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { httpService } from '../../src/api/index.ts'
import { systemClock, type Clock } from '../../src/kernel/index.ts'
import { listening, stream, type Listening } from './stream.ts'
import { LIMITS, world } from './world.ts'

const change = (object_id: string) =>
  ({ topic: 'status', kind: 'Component', object_id, reason: 'Changed', message: '', tone: 'info' }) as const

test('a stream tells changes as they happen and resumes where it was cut', async () => {
  await using w = await listening()
  const { secret } = await w.person('member')
  const first = await stream(w, secret)
  expect(first.response.headers.get('content-type')).toContain('text/event-stream')
  expect(await first.next('heartbeat')).toBeDefined()
  w.parts.events.publish(change('a'), 'all')
  const seen = await first.next('change')
  expect(JSON.parse(seen?.['data'] ?? '')).toMatchObject({ topic: 'status', object_id: 'a', id: seen?.['id'] })

  w.parts.events.publish(change('b'), 'all')
  w.parts.events.publish(change('c'), 'all')
  const second = await stream(w, secret, seen?.['id'])
  const missed = [await second.next('change'), await second.next('change')]
  expect(missed.map((event) => JSON.parse(event?.['data'] ?? '').object_id)).toEqual(['b', 'c'])
})

test('a stream that was away too long is told to read anew', async () => {
  await using w = await listening()
  const { secret } = await w.person('member')
  const resumed = await stream(w, secret, 'deadbeef-1')
  expect(await resumed.next('reset')).toBeDefined()
})

test('the stream of a user who was demoted or deleted, or whose token was revoked, ends at the next heartbeat', async () => {
  const beats: (() => void)[] = []
  const after: Clock['after'] = (ms, beat) => {
    if (ms !== 15_000) return systemClock.after(ms, beat)
    beats.push(beat)
    return () => {}
  }
  await using w = await listening({ parts: { clock: { ...systemClock, after } } })
  const [root, demoted, deleted, revoked] = [
    await w.person('admin'),
    await w.person('admin'),
    await w.person('member'),
    await w.person('member'),
  ]
  const opened = await Promise.all([root, demoted, deleted, revoked].map(({ secret }) => stream(w, secret)))
  for (const one of opened) await one.next('heartbeat')
  const { identity, tokens } = w.parts
  await identity.updateUser({ userId: root.userId, admin: true }, demoted.userId, { isAdmin: false })
  await identity.deleteUser({ userId: root.userId, admin: true }, deleted.userId)
  const [token] = (await tokens.list(revoked.userId, { limit: 1 })).items
  await tokens.revoke(revoked.userId, token?.id ?? '')
  for (const beat of beats.splice(0)) beat()
  for (const one of opened.slice(1)) expect(await one.next('change')).toBeUndefined()
  w.parts.events.publish(change('a'), 'admins')
  expect(await opened[0]?.next('change')).toBeDefined()
})

test('streams are as many as allowed, and each needs a login', async () => {
  await using w = await listening({ parts: { limits: { ...LIMITS, streams: 1 } } })
  const { secret } = await w.person('member')
  const first = await stream(w, secret)
  await first.next('heartbeat')
  expect((await stream(w, secret)).response.status).toBe(429)
  expect((await stream(w, 'cael_nothing')).response.status).toBe(401)
})

test('a user with their share of all streams gets no more, and others do', async () => {
  await using w = await listening({ parts: { limits: { ...LIMITS, streams: 20 } } })
  const [ann, bob] = [await w.person('member'), await w.person('member')]
  for (let n = 0; n < 10; n++) await (await stream(w, ann.secret)).next('heartbeat')
  expect((await stream(w, ann.secret)).response.status).toBe(429)
  expect(await (await stream(w, bob.secret)).next('heartbeat')).toBeDefined()
})

test('stopping says so, ends streams, and lets a running request finish', async () => {
  const begun = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  await using w = await listening({
    parts: {
      routes: [
        (app) =>
          void app.get('/slow', { config: { access: 'public' } }, async () => {
            begun.resolve()
            await finish.promise
            return { done: true }
          }),
      ],
    },
  })
  const { secret } = await w.person('member')
  const live = await stream(w, secret)
  await live.next('heartbeat')
  const slow = fetch(`${w.http.url()}/api/v1/slow`)
  await begun.promise

  const stopped = w.http.stop()
  expect(await live.next('nothing')).toBeUndefined()
  expect((await w.readiness.view()).status).toBe('stopping')
  await expect(fetch(`${w.http.url()}/healthz`)).rejects.toThrow('fetch failed')
  finish.resolve()
  const answer = await slow
  expect(answer.headers.get('connection')).toBe('close')
  expect(await answer.json()).toEqual({ done: true })
  await stopped
})

test('a request that outlives the grace is cut off', async () => {
  const begun = Promise.withResolvers<void>()
  const w = await world({
    parts: {
      routes: [
        (app) =>
          void app.get('/stuck', { config: { access: 'public' } }, () => {
            begun.resolve()
            return new Promise(() => {})
          }),
      ],
    },
  })
  const http = httpService(w.app, { host: '127.0.0.1', port: 0, orAnyPort: false }, w.readiness, 100)
  await http.start()
  const cut = expect(fetch(`${http.url()}/api/v1/stuck`)).rejects.toThrow('fetch failed')
  await begun.promise
  await http.stop()
  await cut
  await w[Symbol.asyncDispose]()
})

test('a taken port is an error with the way out, unless another one will do', async () => {
  await using w = await listening()
  await using other = await world()
  const port = Number(new URL(w.http.url()).port)
  const picky = httpService(other.app, { host: '127.0.0.1', port, orAnyPort: false }, other.readiness, 100)
  await expect(picky.start()).rejects.toThrow(/taken: .*CAELUS_PORT/)
  const easy = httpService(other.app, { host: '127.0.0.1', port, orAnyPort: true }, other.readiness, 100)
  await easy.start()
  expect((await fetch(`${easy.url()}/healthz`)).status).toBe(200)
  await easy.stop()
})

/** Everything the server says on a bare connection until it closes it. */
async function conversation(w: Listening, say: (socket: Socket) => void): Promise<string> {
  const { port, hostname } = new URL(w.http.url())
  const socket = connect(Number(port), hostname)
  let heard = ''
  socket.setEncoding('utf8').on('data', (text: string) => (heard += text))
  socket.on('error', () => {})
  await once(socket, 'connect')
  say(socket)
  await once(socket, 'close')
  return heard
}

test('who sends too slowly is cut off', async () => {
  await using w = await listening({ parts: { limits: { ...LIMITS, requestMs: 1_000 } } })
  const [slowHead, slowBody] = await Promise.all([
    conversation(w, (socket) => socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n')),
    conversation(w, (socket) =>
      socket.write(
        'POST /api/v1/login/dev HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{',
      ),
    ),
  ])
  expect(slowHead).toMatch(/^HTTP\/1.1 408/)
  expect(slowBody).toMatch(/^HTTP\/1.1 408/)
})

test('who sends too much or nonsense is cut off', async () => {
  await using w = await listening()
  const [hugeHead, nonsense] = await Promise.all([
    conversation(w, (socket) => socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`)),
    conversation(w, (socket) => socket.write('what is this\r\n\r\n')),
  ])
  expect(hugeHead).toMatch(/^HTTP\/1.1 431/)
  expect(nonsense).toMatch(/^HTTP\/1.1 400/)
})
