import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../kernel/index.ts'
import { connectionsTo } from './connections/index.ts'
import { Deadline } from './deadline.ts'
import { problemOf, type HttpProblem } from './errors.ts'
import { exchange, NO_OTHER_TIMEOUTS } from './exchange.ts'
import { fetchUrl } from './fetch-url.ts'
import { LONGEST_RETRY_AFTER_MS, retryAfterIn } from './retry-after.ts'

/** Answers one request on a raw socket. `nth` counts requests from 1. */
type Hostile = (socket: Socket, nth: number) => void

interface HostileServer extends AsyncDisposable {
  readonly url: string
  /** Resolves when no connection is open. */
  allClosed(): Promise<void>
}

async function hostile(answer: Hostile): Promise<HostileServer> {
  const sockets = new Set<Socket>()
  let requests = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    socket.on('data', (data) => {
      if (data.includes('\r\n\r\n')) answer(socket, ++requests)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    allClosed: () => expect.poll(() => sockets.size).toBe(0),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Limits {
  readonly timeoutMs?: number
  readonly maxBytes?: number
}

interface Requester extends AsyncDisposable {
  get(limits?: Limits): Promise<{ status: number; text: string; retryAfterMs: number | undefined }>
}

const AMPLE_MS = 50_000

const CARRIERS: Readonly<Record<string, (url: string) => Requester>> = {
  exchange(origin) {
    const connections = connectionsTo({ origin, connections: 1 })
    const request = { origin, path: '/', method: 'GET', ...NO_OTHER_TIMEOUTS } as const
    return {
      async get({ timeoutMs = AMPLE_MS, maxBytes = 2 ** 20 } = {}) {
        using deadline = new Deadline(systemClock, timeoutMs, undefined)
        const { status, headers, text } = await exchange(connections, request, deadline, maxBytes)
        return { status, text, retryAfterMs: retryAfterIn(headers) }
      },
      [Symbol.asyncDispose]: () => connections.destroy(),
    }
  },
  fetchUrl: (url) => ({
    async get({ timeoutMs = AMPLE_MS, maxBytes = 2 ** 20 } = {}) {
      const { status, body, retryAfterMs } = await fetchUrl({ url, timeoutMs, maxBytes })
      return { status, text: body.toString('utf8'), retryAfterMs }
    },
    async [Symbol.asyncDispose]() {},
  }),
}

/** Writes a piece again and again until the connection is closed, and waits for the other side to read. */
function endlessly(socket: Socket, piece: string | Buffer, everyMs: number): void {
  const send = (): void => {
    if (socket.destroyed) return
    if (socket.write(piece)) setTimeout(send, everyMs)
    else socket.once('drain', send)
  }
  send()
}

const head = (...lines: string[]): string => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n')
const CHUNK = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`)

describe.each(Object.entries(CARRIERS))('%s', (_, carrier) => {
  test.each<[what: string, answer: Hostile, limits: Limits, problem: HttpProblem]>([
    ['never answers', () => {}, { timeoutMs: 100 }, 'timedOut'],
    [
      'drips its headers',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        endlessly(socket, 'a', 5)
      },
      { timeoutMs: 100 },
      'timedOut',
    ],
    [
      'drips its body',
      (socket) => {
        socket.write(head('content-length: 1000000'))
        endlessly(socket, 'a', 5)
      },
      { timeoutMs: 100 },
      'timedOut',
    ],
    ['stops after the headers', (socket) => socket.write(head('content-length: 5')), { timeoutMs: 100 }, 'timedOut'],
    [
      'never ends its body',
      (socket) => {
        socket.write(head('transfer-encoding: chunked'))
        endlessly(socket, CHUNK, 0)
      },
      {},
      'tooLarge',
    ],
    [
      'never ends its body, which has no length',
      (socket) => {
        socket.write(head('connection: close'))
        endlessly(socket, CHUNK, 0)
      },
      {},
      'tooLarge',
    ],
    ['declares more than allowed', (socket) => socket.write(head('content-length: 1048577')), {}, 'tooLarge'],
    [
      'sends less than it declared',
      (socket) => void socket.write(`${head('content-length: 10')}short`, () => socket.end()),
      {},
      'unreachable',
    ],
    [
      'closes in the middle of a chunk',
      (socket) => void socket.write(`${head('transfer-encoding: chunked')}ff\r\nshort`, () => socket.destroy()),
      {},
      'unreachable',
    ],
    ['closes without an answer', (socket) => void socket.destroy(), {}, 'unreachable'],
    ['does not speak HTTP', (socket) => void socket.write('SSH-2.0-OpenSSH_9.6\r\n'), {}, 'unreachable'],
    [
      'sends headers without end',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        endlessly(socket, `x-more: ${'y'.repeat(4_096)}\r\n`, 0)
      },
      {},
      'unreachable',
    ],
    [
      'has two lengths',
      (socket) => socket.write(`${head('content-length: 2', 'content-length: 3')}abc`),
      {},
      'unreachable',
    ],
  ])('a server that %s', async (_what, answer, limits, problem) => {
    await using server = await hostile(answer)
    await using requester = carrier(server.url)
    const error: unknown = await requester.get(limits).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(Error)
    expect(problemOf(error)).toBe(problem)
    await server.allClosed()
  })

  test('a body that is longer than declared does not reach the next answer', async () => {
    await using server = await hostile((socket, nth) =>
      socket.write(`${head('content-length: 5')}${nth === 1 ? `first${head('content-length: 6')}forged` : 'right'}`),
    )
    await using requester = carrier(server.url)
    // undici may notice the surplus before or after the first answer is complete.
    const first = await requester.get().then(
      ({ text }) => text,
      (error: unknown) => problemOf(error),
    )
    expect(['first', 'unreachable']).toContain(first)
    expect((await requester.get()).text).toBe('right')
  })

  test('a pause of a year is shortened to minutes', async () => {
    await using server = await hostile((socket) =>
      socket.write('HTTP/1.1 429 Too Many Requests\r\nretry-after: 31536000\r\ncontent-length: 0\r\n\r\n'),
    )
    await using requester = carrier(server.url)
    expect(await requester.get()).toMatchObject({ status: 429, retryAfterMs: LONGEST_RETRY_AFTER_MS })
  })

  test('a redirect is an answer and is not followed', async () => {
    await using server = await hostile((socket, nth) =>
      socket.write(`HTTP/1.1 302 Found\r\nlocation: /${nth}\r\ncontent-length: 0\r\n\r\n`),
    )
    await using requester = carrier(server.url)
    expect((await requester.get()).status).toBe(302)
  })
})

describe('redirects of fetchUrl', () => {
  const get = { timeoutMs: AMPLE_MS, maxBytes: 1_000, redirects: { max: 5 } }

  test('in a loop end after the allowed number', async () => {
    let asked = 0
    await using server = await hostile((socket, nth) => {
      asked = nth
      socket.write('HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n')
    })
    const error: unknown = await fetchUrl({ ...get, url: server.url }).catch((caught: unknown) => caught)
    expect(error).toMatchObject({
      problem: 'redirected',
      message: expect.stringContaining('more than 5 times') as string,
    })
    expect(asked).toBe(6)
  })

  test('with an endless body are left without reading it', async () => {
    await using server = await hostile((socket, nth) => {
      if (nth > 1) return void socket.end(`${head('content-length: 4', 'connection: close')}done`)
      socket.write('HTTP/1.1 302 Found\r\nlocation: /next\r\ntransfer-encoding: chunked\r\n\r\n')
      return endlessly(socket, CHUNK, 0)
    })
    expect((await fetchUrl({ ...get, url: server.url })).body.toString()).toBe('done')
    await server.allClosed()
  })

  test('that are refused close their connection', async () => {
    await using server = await hostile((socket) => {
      socket.write('HTTP/1.1 302 Found\r\nlocation: /\r\ntransfer-encoding: chunked\r\n\r\n')
      endlessly(socket, CHUNK, 0)
    })
    await expect(fetchUrl({ ...get, url: server.url, redirects: { max: 0 } })).rejects.toThrow('more than 0 times')
    await server.allClosed()
  })

  test('of a request that writes are not followed', async () => {
    await using server = await hostile((socket) =>
      socket.write('HTTP/1.1 307 Temporary Redirect\r\nlocation: /\r\ncontent-length: 0\r\n\r\n'),
    )
    expect((await fetchUrl({ ...get, url: server.url, method: 'POST', body: '{}' })).status).toBe(307)
  })

  test('count towards one deadline', async () => {
    await using server = await hostile((socket, nth) => {
      if (nth === 1) socket.write('HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n')
    })
    const error: unknown = await fetchUrl({ ...get, url: server.url, timeoutMs: 200 }).catch(
      (caught: unknown) => caught,
    )
    expect(problemOf(error)).toBe('timedOut')
  })
})

test('a caller that aborts gets its own reason', async () => {
  await using server = await hostile((socket) => socket.write(head('content-length: 5')))
  const abort = new AbortController()
  const fetching = fetchUrl({ url: server.url, timeoutMs: AMPLE_MS, maxBytes: 10, signal: abort.signal })
  const reason = new Error('stopping')
  abort.abort(reason)
  await expect(fetching).rejects.toBe(reason)
})

test('a port where nothing listens is unreachable, with its address', async () => {
  const server = await hostile(() => {})
  await server[Symbol.asyncDispose]()
  await expect(fetchUrl({ url: server.url, timeoutMs: AMPLE_MS, maxBytes: 10 })).rejects.toMatchObject({
    problem: 'unreachable',
    message: expect.stringContaining(`ECONNREFUSED ${new URL(server.url).host}`) as string,
  })
})
