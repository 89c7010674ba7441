import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { anonymous, json } from '../../../test/kube/loopback.ts'
import { proxyTo } from '../../../test/kube/watch/proxy.ts'
import { createEmitter, manualClock } from '../../kernel/index.ts'
import { httpTransport } from './http.ts'
import type { ConnectionEvents } from './silence.ts'

const GET = { method: 'GET', path: '/api/v1/pods' } as const
const PATCH = { method: 'PATCH', path: '/api/v1/namespaces/a/pods/b', body: {} } as const
const WATCH = { method: 'GET', path: '/api/v1/pods', query: { watch: true } } as const

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/**
 * A transport to a server behind a proxy that can go dead without closing a connection. Time passes only when a test
 * says so, however long the network takes.
 */
async function place(answer: Answer = (_, response) => json(response, 200, {})) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    if (!request.url?.includes('watch')) return answer(request, response)
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"n":1}\n')
    if (!request.url.includes('busy')) return
    const timer = setInterval(() => response.write('{"n":2}\n'), 20)
    response.on('close', () => clearInterval(timer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await proxyTo((server.address() as AddressInfo).port)
  const clock = manualClock()
  const emitter = createEmitter<ConnectionEvents>()
  const told: string[] = []
  emitter.on('kube:silent', ({ request }) => told.push(`silent: ${request}`))
  emitter.on('kube:answering', ({ replaced }) => told.push(replaced ? 'replaced' : 'answered'))
  const transport = httpTransport(anonymous(`http://127.0.0.1:${proxy.port}`), { clock, emitter })
  onTestFinished(async () => {
    await transport.close()
    await proxy[Symbol.asyncDispose]()
    server.closeAllConnections()
    server.close()
  })
  /** Idle connections, which the next requests use. */
  const opened = async (count: number): Promise<void> => {
    await Promise.all(Array.from({ length: count }, () => transport.send(GET)))
    await new Promise((resolve) => setImmediate(resolve))
    expect(proxy.opened()).toBe(count)
  }
  const replaced = () => expect.poll(() => told.at(-1), { interval: 5 }).toBe('replaced')
  return { seen, told, proxy, clock, transport, opened, replaced }
}

test('a read on connections that went silent is answered over a new one, and no later one meets an old one', async () => {
  const { told, proxy, clock, transport, opened } = await place()
  await opened(5)
  proxy.swallow()
  const reading = transport.send(GET)
  await clock.advance(3_000)
  expect((await reading).status).toBe(200)
  for (let i = 0; i < 10; i++) await transport.send(PATCH)
  expect(told).toEqual(['silent: GET /api/v1/pods', 'replaced'])
})

test('a write on a silent connection is not repeated, and the next one is answered', async () => {
  const { seen, told, proxy, clock, transport, opened, replaced } = await place()
  await opened(1)
  proxy.swallow()
  const writing = transport.send({ ...PATCH, timeoutMs: 10_000 }).catch((error: unknown) => String(error))
  await clock.advance(3_000)
  await replaced()
  await clock.advance(7_000)
  expect(await writing).toContain('no answer within 10000 ms')
  expect((await transport.send(PATCH)).status).toBe(200)
  expect(seen).toEqual(['GET /api/v1/pods', 'GET /version', 'PATCH /api/v1/namespaces/a/pods/b'])
  expect(told).toHaveLength(2)
})

test('requests that were sent before the connections were replaced are not suspected again', async () => {
  const { told, proxy, clock, transport, opened, replaced } = await place()
  await opened(2)
  proxy.swallow()
  const first = transport.send(PATCH).catch(() => 'failed')
  await clock.advance(2_000)
  const second = transport.send(PATCH).catch(() => 'failed')
  await clock.advance(1_000)
  await replaced()
  await clock.advance(30_000)
  expect(await Promise.all([first, second])).toEqual(['failed', 'failed'])
  expect(told).toEqual(['silent: PATCH /api/v1/namespaces/a/pods/b', 'replaced'])
})

test('a request that finds the connections silent ends the watches that are silent too', async () => {
  const { proxy, clock, transport, opened } = await place()
  await opened(1)
  const open = async () => {
    const lines = transport.stream(WATCH)[Symbol.asyncIterator]()
    expect((await lines.next()).value).toEqual({ n: 1 })
    const end = lines.next().then(
      () => 'an event',
      (error: unknown) => String(error),
    )
    return { end }
  }
  const before = await open()
  proxy.swallow()
  const reading = transport.send(GET)
  await clock.advance(1_000)
  const after = await open()
  await clock.advance(2_000)
  await reading
  expect(await before.end).toContain('GET /api/v1/pods: the connection was silent while a new one was answered')
  expect(await Promise.race([after.end, Promise.resolve('open')])).toBe('open')
  await open()
})

test('a watch that was heard just before its connection died ends soon after the others', async () => {
  const { proxy, clock, transport, replaced } = await place((request, response) => {
    if (request.method === 'GET') json(response, 200, {})
  })
  const writing = transport.send(PATCH).catch(() => {})
  await clock.advance(1_000)
  const lines = transport.stream(WATCH)[Symbol.asyncIterator]()
  expect((await lines.next()).value).toEqual({ n: 1 })
  proxy.swallow()
  const end = lines.next().catch(String)
  await clock.advance(2_000)
  await replaced()
  await clock.advance(3_000)
  expect(await end).toContain('the connection was silent while a new one was answered')
  await transport.close()
  await writing
})

test('a slow answer to a write is passed on, and a watch that brings events stays open', async () => {
  const slow = Promise.withResolvers<void>()
  const { seen, told, clock, transport, replaced } = await place((request, response) => {
    const held = request.method === 'PATCH' ? slow.promise : Promise.resolve()
    void held.then(() => json(response, 200, {}))
  })
  let events = 0
  let isOpen = true
  const following = (async () => {
    for await (const _ of transport.stream({ ...WATCH, path: '/busy' })) events++
  })().finally(() => (isOpen = false))
  following.catch(() => {})
  await expect.poll(() => events).toBeGreaterThan(1)
  const writing = transport.send(PATCH)
  await clock.advance(1_000)
  const heard = events
  await expect.poll(() => events).toBeGreaterThan(heard + 1)
  await clock.advance(2_000)
  await replaced()
  slow.resolve()
  expect((await writing).status).toBe(200)
  expect(isOpen).toBe(true)
  expect(seen).toEqual(['GET /busy?watch=true', 'PATCH /api/v1/namespaces/a/pods/b', 'GET /version'])
  expect(told).toEqual(['silent: PATCH /api/v1/namespaces/a/pods/b', 'replaced'])
})

test('while new connections are silent too it keeps asking, and replaces the old ones when one is answered', async () => {
  let isSilent = true
  const { told, clock, transport } = await place((_, response) => {
    if (!isSilent) json(response, 200, {})
  })
  const reading = transport.send({ ...GET, timeoutMs: 4_000 }).catch((error: unknown) => String(error))
  const later = async (): Promise<string | undefined> => {
    await clock.advance(1_000)
    return told.at(-1)
  }
  await clock.advance(3_000)
  expect(told).toEqual(['silent: GET /api/v1/pods'])
  await expect.poll(async () => (await later(), told.length), { interval: 5 }).toBeGreaterThan(2)
  expect(await reading).toContain('no answer within 4000 ms')
  expect(new Set(told)).toEqual(new Set(['silent: GET /api/v1/pods']))
  isSilent = false
  await expect.poll(later, { interval: 5 }).toBe('replaced')
  expect((await transport.send(GET)).status).toBe(200)
})

test('a request whose connection fails is no silence', async () => {
  const { told, clock, transport } = await place((_, response) => void response.destroy())
  await expect(transport.send(PATCH)).rejects.toThrow('failed to PATCH')
  await clock.advance(10_000)
  expect(told).toEqual([])
})
