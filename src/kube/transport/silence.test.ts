import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { anonymous, json } from '../../../test/kube/loopback.ts'
import { proxyTo } from '../../../test/kube/watch/proxy.ts'
import { createEmitter } from '../../kernel/index.ts'
import { httpTransport } from './http.ts'
import type { ConnectionEvents } from './silence.ts'

const GET = { method: 'GET', path: '/api/v1/pods' } as const
const PATCH = { method: 'PATCH', path: '/api/v1/namespaces/a/pods/b', body: {} } as const
const WATCH = { method: 'GET', path: '/api/v1/pods', query: { watch: true } } as const

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A transport to a server behind a proxy that can go dead without closing a connection. */
async function place(answer: Answer = (_, response) => json(response, 200, {})) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    if (!request.url?.includes('watch')) return answer(request, response)
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"n":1}\n')
    if (!request.url.includes('busy')) return
    const timer = setInterval(() => response.write('{"n":2}\n'), 50)
    response.on('close', () => clearInterval(timer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await proxyTo((server.address() as AddressInfo).port)
  const emitter = createEmitter<ConnectionEvents>()
  const told: string[] = []
  emitter.on('kube:silent', ({ request }) => told.push(`silent: ${request}`))
  emitter.on('kube:answering', ({ replaced }) => told.push(replaced ? 'replaced' : 'answered'))
  const transport = httpTransport(anonymous(`http://127.0.0.1:${proxy.port}`), { silentAfterMs: 200, emitter })
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
  return { seen, told, proxy, transport, opened }
}

test('a read on connections that went silent is answered over a new one, and no later one meets an old one', async () => {
  const { told, proxy, transport, opened } = await place()
  await opened(5)
  proxy.swallow()
  expect((await transport.send(GET)).status).toBe(200)
  for (let i = 0; i < 10; i++) await transport.send(PATCH)
  expect(told).toEqual(['silent: GET /api/v1/pods', 'replaced'])
})

test('a write on a silent connection is not repeated, and the next one is answered', async () => {
  const { seen, proxy, transport, opened } = await place()
  await opened(1)
  proxy.swallow()
  await expect(transport.send({ ...PATCH, timeoutMs: 1_000 })).rejects.toThrow('no answer within 1000 ms')
  expect((await transport.send(PATCH)).status).toBe(200)
  expect(seen).toEqual(['GET /api/v1/pods', 'GET /version', 'PATCH /api/v1/namespaces/a/pods/b'])
})

test('a request that finds the connections silent ends the silent watches, which are opened again', async () => {
  const { proxy, transport, opened } = await place()
  await opened(1)
  const lines = transport.stream(WATCH)[Symbol.asyncIterator]()
  expect((await lines.next()).value).toEqual({ n: 1 })
  const next = lines.next()
  proxy.swallow()
  const after = transport.stream(WATCH)[Symbol.asyncIterator]()
  expect((await after.next()).value).toEqual({ n: 1 })
  const [silent] = await Promise.all([
    next.then(
      () => 'an event',
      (error: unknown) => String(error),
    ),
    transport.send(GET),
  ])
  expect(silent).toContain('failed to GET /api/v1/pods: the connection was silent while a new one was answered')
  const again = transport.stream(WATCH)[Symbol.asyncIterator]()
  expect((await again.next()).value).toEqual({ n: 1 })
})

test('a slow answer to a write is passed on, and a watch that brings events stays open', async () => {
  const { seen, told, transport } = await place((request, response) => {
    setTimeout(() => json(response, 200, {}), request.method === 'PATCH' ? 1_000 : 0)
  })
  const lines = transport.stream({ ...WATCH, path: '/busy' })[Symbol.asyncIterator]()
  await lines.next()
  const events = (async () => {
    let count = 0
    while (!(await lines.next()).done) count++
    return count
  })()
  expect((await transport.send(PATCH)).status).toBe(200)
  await expect(Promise.race([events, Promise.resolve('open')])).resolves.toBe('open')
  events.catch(() => {})
  expect(seen).toEqual(['GET /busy?watch=true', 'PATCH /api/v1/namespaces/a/pods/b', 'GET /version'])
  expect(told).toEqual(['silent: PATCH /api/v1/namespaces/a/pods/b', 'replaced'])
})

test('while new connections are silent too it keeps asking, and replaces the old ones when one is answered', async () => {
  let isSilent = true
  const { told, transport } = await place((_, response) => {
    if (!isSilent) json(response, 200, {})
  })
  await expect(transport.send({ ...GET, timeoutMs: 300 })).rejects.toThrow('no answer within 300 ms')
  await expect.poll(() => told.length).toBeGreaterThan(2)
  expect(new Set(told)).toEqual(new Set(['silent: GET /api/v1/pods']))
  isSilent = false
  await expect.poll(() => told.at(-1)).toBe('replaced')
  expect((await transport.send(GET)).status).toBe(200)
})

test('a request whose connection fails is no silence', async () => {
  const { told, transport } = await place((_, response) => void setTimeout(() => response.destroy(), 100))
  await expect(transport.send(PATCH)).rejects.toThrow('failed to PATCH')
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(told).toEqual([])
})
