import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { failureOf, manualClock, notLeading } from '../../src/kernel/index.ts'
import { errorOf, guarded, httpTransport, KubeError } from '../../src/kube/index.ts'
import { testConfig } from '../support/kube.ts'
import { impatientClock, json, loopback } from './loopback.ts'

const GET = { method: 'GET', path: '/api/v1/namespaces/a/pods/b' } as const
const PATCH = { method: 'PATCH', path: '/api/v1/namespaces/a/pods/b', body: {} } as const

describe('a request', () => {
  test('waits as long as a busy server asks, then succeeds', async () => {
    const clock = impatientClock()
    await using server = await loopback(
      (_, response, nth) =>
        nth === 1 ? json(response, 429, {}, { 'retry-after': '5' }) : json(response, 200, { nth }),
      { clock },
    )
    expect((await server.transport.send(PATCH)).body).toEqual({ nth: 2 })
    expect(clock.pauses).toHaveLength(1)
    expect(clock.pauses[0]).toBeGreaterThanOrEqual(5_000)
    expect(clock.pauses[0]).toBeLessThanOrEqual(6_000)
  })

  test('is checked again before it is repeated', async () => {
    await using server = await loopback(
      (_, response, nth) =>
        nth === 1 ? json(response, 429, {}, { 'retry-after': '5' }) : json(response, 200, { nth }),
      { clock: impatientClock() },
    )
    const leading = [true, true, false]
    const guardedTransport = guarded(server.transport, () => {
      if (leading.shift() !== true) throw notLeading('another process leads')
    })
    const error: unknown = await guardedTransport.send(PATCH).catch((cause: unknown) => cause)
    expect(failureOf(error)).toMatchObject({ code: 'NotLeading' })
    expect(server.seen).toHaveLength(1)
  })

  test('does not wait beyond its own time limit, and passes the advice on', async () => {
    await using server = await loopback((_, response) => json(response, 503, {}, { 'retry-after': '60' }))
    const response = await server.transport.send({ ...GET, timeoutMs: 30_000 })
    expect(response.status).toBe(503)
    expect(errorOf('read', response).retryAfterMs).toBe(60_000)
    expect(server.seen).toHaveLength(1)
  })

  test('is answered at once by a 429 that names no time, such as an eviction that a budget forbids', async () => {
    await using server = await loopback((_, response) =>
      json(response, 429, { kind: 'Status', code: 429, message: 'budget' }),
    )
    expect((await server.transport.send(PATCH)).status).toBe(429)
    expect(server.seen).toHaveLength(1)
  })

  test('is sent once more when the connection broke, if it only reads', async () => {
    await using server = await loopback((_, response, nth) =>
      nth === 1 ? void response.destroy() : json(response, 200, { nth }),
    )
    expect((await server.transport.send(GET)).body).toEqual({ nth: 2 })
  })

  test('is never sent twice when it writes', async () => {
    await using server = await loopback((_, response) => void response.destroy())
    const error = await server.transport.send(PATCH).catch((cause: unknown) => cause)
    expect(failureOf(error)).toMatchObject({ code: 'KubeUnreachable', retryable: true, whoseMove: 'platform' })
    expect(server.seen).toHaveLength(1)
  })

  test('does not outlast its time limit when no answer comes', async () => {
    await using server = await loopback(() => {})
    await expect(server.transport.send({ ...GET, timeoutMs: 100 })).rejects.toThrow(
      'failed to GET /api/v1/namespaces/a/pods/b: no answer within 100 ms',
    )
  })

  test('does not outlast its time limit when the answer stops half-way', async () => {
    await using server = await loopback(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":'),
    )
    await expect(server.transport.send({ ...GET, timeoutMs: 100 })).rejects.toThrow('no answer within 100 ms')
  })

  test('counts waiting for a free connection towards its time limit', async () => {
    await using server = await loopback(() => {}, { connections: 1 })
    let waiting = true
    const first = server.transport.send(GET).catch(() => (waiting = false))
    await expect(server.transport.send({ ...GET, timeoutMs: 100 })).rejects.toThrow('no answer within 100 ms')
    expect(waiting).toBe(true)
    await server.transport.close()
    await first
  })

  test('ends with the reason of its signal', async () => {
    await using server = await loopback(() => {})
    const controller = new AbortController()
    const sent = server.transport.send({ ...GET, signal: controller.signal })
    controller.abort(new Error('shutting down'))
    await expect(sent).rejects.toThrow('shutting down')
  })

  test('refuses an answer that is too large while it arrives, and says what was asked', async () => {
    await using server = await loopback(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('x'.repeat(2_000)),
      { maxBytes: 1_000 },
    )
    const error: unknown = await server.transport.send(GET).catch((cause: unknown) => cause)
    expect(failureOf(error)).toMatchObject({
      code: 'KubeAnswerTooLarge',
      message: 'failed to GET /api/v1/namespaces/a/pods/b: the answer has more than 1000 bytes',
    })
  })

  test('passes on a pause of a year as one of minutes', async () => {
    await using server = await loopback((_, response) => json(response, 429, {}, { 'retry-after': '31536000' }))
    expect(errorOf('read', await server.transport.send(GET)).retryAfterMs).toBe(300_000)
    expect(server.seen).toHaveLength(1)
  })

  test('understands a pause that is given as a date', async () => {
    const clock = impatientClock()
    const until = { 'retry-after': new Date(5_000).toUTCString(), date: new Date(0).toUTCString() }
    await using server = await loopback(
      (_, response, nth) => (nth === 1 ? json(response, 503, {}, until) : json(response, 200, { nth })),
      { clock },
    )
    expect((await server.transport.send(PATCH)).body).toEqual({ nth: 2 })
    expect(clock.pauses[0]).toBeGreaterThanOrEqual(5_000)
  })

  test('names an answer that is not the JSON it claims to be', async () => {
    await using server = await loopback(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('<html>'),
    )
    await expect(server.transport.send(GET)).rejects.toThrow('the answer (200) is not valid JSON')
  })

  test('hands text over as text', async () => {
    await using server = await loopback(
      (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('ok'),
    )
    expect((await server.transport.send({ method: 'GET', path: '/healthz' })).body).toBe('ok')
  })

  test('carries query, content type, user agent and repeated headers', async () => {
    await using server = await loopback((_, response) => json(response, 200, {}), { userAgent: 'tester' })
    await server.transport.send({
      ...PATCH,
      query: { fieldManager: 'a b', dryRun: undefined, force: true },
      contentType: 'application/merge-patch+json',
      headers: { 'Impersonate-Group': ['a', 'b'] },
    })
    const [request] = server.seen
    expect(request?.url).toBe('/api/v1/namespaces/a/pods/b?fieldManager=a%20b&force=true')
    expect(request?.headers).toMatchObject({ 'content-type': 'application/merge-patch+json', 'user-agent': 'tester' })
    expect(request?.headersDistinct['impersonate-group']).toEqual(['a', 'b'])
  })

  test('keeps the path of a server that lives below one', async () => {
    await using server = await loopback((_, response) => json(response, 200, {}))
    const below = httpTransport({ ...(await testConfig()), server: `${server.url}/k8s/clusters/c-1` })
    await below.send(GET)
    await below.close()
    expect(server.seen[0]?.url).toBe('/k8s/clusters/c-1/api/v1/namespaces/a/pods/b')
  })

  test('uses new credentials once when the server refuses the old ones', async () => {
    let token = 'old'
    await using server = await loopback(
      (request, response) => json(response, request.headers.authorization === 'Bearer new' ? 200 : 401, {}),
      {},
      {
        credentials: {
          kind: 'test',
          current: () => Promise.resolve({ authorization: `Bearer ${token}` }),
          refused: () => ((token = 'new'), true),
        },
      },
    )
    expect((await server.transport.send(PATCH)).status).toBe(200)
    expect(server.seen).toHaveLength(2)
  })
})

describe('a stream', () => {
  const WATCH = { method: 'GET', path: '/api/v1/pods', query: { watch: true } } as const

  test('yields whole lines however the network cuts them', async () => {
    const lines = [{ text: 'ä'.repeat(3) }, { text: 'b' }, { text: 'c'.repeat(300_000) }]
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    await using server = await loopback(async (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const cuts = [11, 12, 13, 30, 40, 100_000, bytes.length]
      let from = 0
      for (const to of cuts) {
        response.write(bytes.subarray(from, to))
        await new Promise((resolve) => setImmediate(resolve))
        from = to
      }
      response.end()
    })
    expect(await Array.fromAsync(server.transport.stream(WATCH))).toEqual(lines)
  })

  test('that ends in the middle of a line rejects', async () => {
    await using server = await loopback(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}\n{"b":'),
    )
    await expect(Array.fromAsync(server.transport.stream(WATCH))).rejects.toThrow('ended in the middle of a line')
  })

  test('that is refused without end rejects', async () => {
    await using server = await loopback((_, response) => {
      const send = (): void => {
        if (response.destroyed) return
        if (response.write('x'.repeat(100_000))) setImmediate(send)
        else response.once('drain', send)
      }
      response.writeHead(403, { 'content-type': 'text/plain' })
      send()
    })
    const error: unknown = await Array.fromAsync(server.transport.stream(WATCH)).catch((cause: unknown) => cause)
    expect(failureOf(error)).toMatchObject({ code: 'KubeAnswerTooLarge' })
  })

  test('that breaks rejects after what had arrived', async () => {
    await using server = await loopback((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":1}\n')
      setTimeout(() => response.destroy(), 20)
    })
    const got: unknown[] = []
    const reading = (async () => {
      for await (const line of server.transport.stream(WATCH)) got.push(line)
    })()
    await expect(reading).rejects.toThrow('failed to GET /api/v1/pods')
    expect(got).toEqual([{ a: 1 }])
  })

  test('may be silent for longer than its time limit once it has begun', async () => {
    const clock = manualClock()
    const silenceIsOver = Promise.withResolvers<void>()
    await using server = await loopback(
      async (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":1}\n')
        await silenceIsOver.promise
        response.end('{"a":2}\n')
      },
      { clock },
    )
    const got: unknown[] = []
    for await (const line of server.transport.stream({ ...WATCH, timeoutMs: 100 })) {
      got.push(line)
      await clock.advance(1_000)
      silenceIsOver.resolve()
    }
    expect(got).toEqual([{ a: 1 }, { a: 2 }])
  })

  test('that never begins rejects at its time limit', async () => {
    await using server = await loopback(() => {})
    await expect(Array.fromAsync(server.transport.stream({ ...WATCH, timeoutMs: 100 }))).rejects.toThrow(
      'no answer within 100 ms',
    )
  })

  test('ends quietly when its signal says so', async () => {
    await using server = await loopback(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":1}\n'),
    )
    const controller = new AbortController()
    const got: unknown[] = []
    for await (const line of server.transport.stream({ ...WATCH, signal: controller.signal })) {
      got.push(line)
      controller.abort()
    }
    expect(got).toEqual([{ a: 1 }])
  })

  test('that is refused rejects with the server’s words before the first line', async () => {
    await using server = await loopback((_, response) =>
      json(response, 410, { kind: 'Status', reason: 'Expired', message: 'too old' }),
    )
    const error = await Array.fromAsync(server.transport.stream(WATCH)).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(KubeError)
    expect(error).toMatchObject({ status: 410, reason: 'Expired', message: 'failed to GET /api/v1/pods: too old' })
  })

  test('takes no connection away from requests', async () => {
    await using server = await loopback(
      (request, response) =>
        request.url?.includes('watch')
          ? response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
          : json(response, 200, {}),
      { connections: 1 },
    )
    const controller = new AbortController()
    const watches = [1, 2, 3].map(() =>
      Array.fromAsync(server.transport.stream({ ...WATCH, signal: controller.signal })),
    )
    expect((await server.transport.send(GET)).status).toBe(200)
    controller.abort()
    expect(await Promise.all(watches)).toEqual([[], [], []])
  })

  test('beyond those allowed fails at once with the numbers, and opens when another one has ended', async () => {
    await using server = await loopback(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"n":1}\n'),
      { streams: 2 },
    )
    const open = async () => {
      const controller = new AbortController()
      const lines = server.transport.stream({ ...WATCH, signal: controller.signal })[Symbol.asyncIterator]()
      await lines.next()
      return async () => {
        controller.abort()
        await lines.next()
      }
    }
    const closeFirst = await open()
    const closeSecond = await open()
    const error = await open().catch((cause: unknown) => cause)
    expect(failureOf(error)).toMatchObject({
      code: 'KubeTooManyWatches',
      message: expect.stringContaining('2 watches are open, and 2 are allowed') as string,
    })
    expect(server.seen).toHaveLength(2)
    await closeFirst()
    const closeThird = await open()
    await closeSecond()
    await closeThird()
    expect(server.transport.maxStreams).toBe(2)
  })
})

describe('the way to a real API server', () => {
  const VERSION = { method: 'GET', path: '/version' } as const

  test('is refused when its certificate is not trusted, with the reason', async () => {
    const config = await testConfig()
    const transport = httpTransport({ ...config, tls: { insecure: false } })
    await expect(transport.send(VERSION)).rejects.toThrow(/failed to GET \/version: .*certificate/)
    await transport.close()
  })

  test('can be taken without checking', async () => {
    const transport = httpTransport({ ...(await testConfig()), tls: { insecure: true } })
    expect((await transport.send(VERSION)).status).toBe(200)
    await transport.close()
  })

  test('checks the name that tls-server-name gives', async () => {
    const config = await testConfig()
    const right = httpTransport({ ...config, tls: { ...config.tls, serverName: 'kubernetes' } })
    const wrong = httpTransport({ ...config, tls: { ...config.tls, serverName: 'elsewhere.example' } })
    expect((await right.send(VERSION)).status).toBe(200)
    await expect(wrong.send(VERSION)).rejects.toThrow('elsewhere.example')
    await Promise.all([right.close(), wrong.close()])
  })

  test('leads through a proxy', async () => {
    const tunnels: string[] = []
    const proxy = createServer().on('connect', (request, socket) => {
      tunnels.push(request.url ?? '')
      const [host, port] = (request.url ?? '').split(':')
      const server = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
      server.pipe(socket).pipe(server)
      socket.on('error', () => server.destroy())
      server.on('error', () => socket.destroy())
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const config = await testConfig()
    const transport = httpTransport({
      ...config,
      proxyUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    })
    expect((await transport.send(VERSION)).status).toBe(200)
    expect(tunnels).toEqual([new URL(config.server).host])
    await transport.close()
    proxy.close()
  })

  test('names the address when no server listens', async () => {
    const transport = httpTransport({ ...(await testConfig()), server: 'https://127.0.0.1:1' })
    await expect(transport.send(VERSION)).rejects.toThrow('connect ECONNREFUSED 127.0.0.1:1')
    await transport.close()
  })
})
