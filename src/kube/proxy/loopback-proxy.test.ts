import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { fixedCredentials } from '../config/credentials.ts'
import { loopbackProxy, type SessionOptions } from './loopback-proxy.ts'

interface Heard {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A server behind a proxy, and what it hears. */
async function scene(answer: (response: ServerResponse) => void = (response) => response.end('{}')) {
  const heard: Heard[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString('utf8')
      heard.push({ method: request.method, url: request.url, headers: request.headers, body })
      answer(response)
    })()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const proxy = loopbackProxy({
    context: 'test',
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`,
    namespace: 'default',
    tls: { insecure: false },
    credentials: fixedCredentials('token', { authorization: 'Bearer ours' }),
  })
  onTestFinished(async () => {
    await proxy[Symbol.asyncDispose]()
    server.close()
    server.closeAllConnections()
  })
  const open = (options: Partial<SessionOptions> = {}) => proxy.open({ judge: () => undefined, ...options })
  return { heard, open }
}

test('a request is sent with our credentials and as the identity of the session, whatever it says about itself', async () => {
  const { heard, open } = await scene()
  const session = await open({ as: { user: 'caelus:worker', extra: { 'caelus.io/fence': ['7:1'] } } })
  const headers = { authorization: 'Bearer theirs', 'impersonate-user': 'root', 'impersonate-group': 'system:masters' }
  const answer = await fetch(`${session.server}/api/v1/pods?limit=1`, { method: 'POST', headers, body: '{"a":1}' })
  expect(await answer.json()).toEqual({})
  expect(heard).toMatchObject([{ method: 'POST', url: '/base/api/v1/pods?limit=1', body: '{"a":1}' }])
  expect(heard[0]?.headers).toMatchObject({
    authorization: 'Bearer ours',
    'impersonate-user': 'caelus:worker',
    'impersonate-extra-caelus.io%2ffence': '7:1',
  })
  expect(heard[0]?.headers['impersonate-group']).toBe(undefined)
})

test('what is judged may be answered without the server', async () => {
  const { heard, open } = await scene()
  const session = await open({
    judge: ({ path }) => (path === '/own' ? { status: 404, body: { own: true } } : undefined),
  })
  const answer = await fetch(`${session.server}/own?x=1`)
  expect([answer.status, await answer.json()]).toEqual([404, { own: true }])
  expect(heard).toEqual([])
})

test('an address is good for its session alone', async () => {
  const { heard, open } = await scene()
  const session = await open()
  const other = session.server.replace(/[0-9a-f]{64}$/, '0'.repeat(64))
  expect((await fetch(`${other}/version`)).status).toBe(401)
  await session[Symbol.asyncDispose]()
  expect((await fetch(`${session.server}/version`)).status).toBe(401)
  expect(heard).toEqual([])
})

test('an answer is passed on while it arrives, and ends with the session', async () => {
  const { open } = await scene((response) => response.write('{"type":"ADDED"}\n'))
  const session = await open()
  const { body } = await fetch(`${session.server}/api/v1/pods?watch=true`)
  const reader = body!.getReader()
  const { value } = await reader.read()
  expect(Buffer.from(value ?? []).toString('utf8')).toBe('{"type":"ADDED"}\n')
  const rest = expect(reader.read()).rejects.toThrow('terminated')
  await session[Symbol.asyncDispose]()
  await rest
})

test.each([301, 302, 303, 307, 308])(
  'a redirect (%i) of the server is refused, and its address not passed on',
  async (code) => {
    const { heard, open } = await scene((response) =>
      response.writeHead(code, { location: 'http://169.254.169.254/secret' }).end('moved'),
    )
    const session = await open()
    const answer = await fetch(`${session.server}/api/v1/pods`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([502, null])
    const text = await answer.text()
    expect(text).toContain(`the API server answered ${code}, and redirects are not followed`)
    expect(text).not.toContain('169.254')
    expect(heard).toHaveLength(1)
  },
)

test('that an object has not changed is passed on', async () => {
  const { open } = await scene((response) => response.writeHead(304).end())
  const session = await open()
  const answer = await fetch(`${session.server}/openapi/v3`, { headers: { 'if-none-match': '"1"' } })
  expect(answer.status).toBe(304)
})
