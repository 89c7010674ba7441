import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { restClient, ServerRefusal } from './client.ts'

/** A client of a server that answers like this. */
async function clientOf(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return restClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'secret' })
}

const PROBLEM = { code: 'Gone', detail: 'it is gone', whose_move: 'user', retryable: false, next_step: 'Go.' }

test('an answer is parsed, and one without content is nothing', async () => {
  const client = await clientOf((request, response) => void response.end(request.method === 'GET' ? '{"a":1}' : ''))
  expect(await client.get('/x')).toEqual({ a: 1 })
  expect(await client.post('/x', {})).toBeUndefined()
})

test('YAML is taken as it is, and nothing else for it', async () => {
  const client = await clientOf((request, response) => {
    const type = request.url?.endsWith('/yaml') ? 'application/yaml' : 'text/html'
    return void response.writeHead(200, { 'content-type': type }).end('a: 1\n')
  })
  expect(await client.getText('/yaml')).toBe('a: 1\n')
  await expect(client.getText('/html')).rejects.toMatchObject({ failure: { code: 'ServerUnreachable' } })
})

test('a problem of the server is thrown with its failure', async () => {
  const client = await clientOf((_, response) =>
    response.writeHead(410, { 'content-type': 'application/problem+json' }).end(JSON.stringify(PROBLEM)),
  )
  const error: unknown = await client.get('/x').catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ServerRefusal)
  expect(error).toMatchObject({ failure: { code: 'Gone', nextStep: 'Go.' } })
})

test.each<[what: string, answer: RequestListener, text: string]>([
  ['answers with HTML', (_, response) => void response.end('<html>'), 'answered 200, but not like a Caelus server'],
  [
    'answers 502',
    (_, response) => void response.writeHead(502).end('bad'),
    'answered 502, but not like a Caelus server',
  ],
  [
    'sends half a problem',
    (_, response) => void response.writeHead(400, { 'content-type': 'application/problem+json' }).end('{"code":'),
    'answered 400, but not like a Caelus server',
  ],
  [
    'closes in the middle of its answer',
    (_, response) => void response.writeHead(200, { 'content-length': '10' }).write('{"a"', () => response.destroy()),
    'failed to reach http://127.0.0.1',
  ],
  [
    'redirects',
    (_, response) => void response.writeHead(308, { location: 'https://user:pass@caelus.example/login?x=1' }).end(),
    'redirects to https://caelus.example/login, which is not followed',
  ],
])('a server that %s is reported as unreachable', async (_, answer, text) => {
  const client = await clientOf(answer)
  await expect(client.get('/x')).rejects.toMatchObject({
    failure: { code: 'ServerUnreachable', message: expect.stringContaining(text) as string },
  })
})
