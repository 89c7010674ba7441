import { describe, expect, test } from 'vitest'
import { createEmitter, notLeading } from '../../kernel/index.ts'
import { raise } from '../errors.ts'
import type { KubeRequest, Transport } from './transport.ts'
import { guarded, impersonate, ledBy, observed, type RequestEvents } from './wrap.ts'

function recording(status = 200): Transport & { readonly sent: KubeRequest[] } {
  const sent: KubeRequest[] = []
  return {
    sent,
    send(request) {
      sent.push(request)
      return Promise.resolve({ status, headers: {}, body: {} })
    },
    async *stream(request) {
      sent.push(request)
      yield 1
    },
  }
}

const GET: KubeRequest = { method: 'GET', path: '/api/v1/pods' }
const POST: KubeRequest = { method: 'POST', path: '/api/v1/namespaces/a/pods', body: {} }

test('an impersonated user is named in every request, streams included', async () => {
  const server = recording()
  const ada = impersonate(server, { user: 'ada', groups: ['a', 'b'], extra: { 'example.com/why': ['x'] } })
  await ada.send(GET)
  await Array.fromAsync(ada.stream(GET))
  const headers = {
    'Impersonate-User': 'ada',
    'Impersonate-Group': ['a', 'b'],
    'Impersonate-Extra-example.com%2Fwhy': ['x'],
  }
  expect(server.sent.map((request) => request.headers)).toEqual([headers, headers])
})

test('a guard that objects keeps the call from being sent', async () => {
  const server = recording()
  const guardedServer = guarded(server, () => {
    throw new Error('no calls inside a transaction')
  })
  await expect(guardedServer.send(POST)).rejects.toThrow('no calls inside a transaction')
  expect(server.sent).toEqual([])
})

test('every guard is asked again before each attempt of the transport', async () => {
  const server = recording()
  const asked: string[] = []
  const outer = guarded(
    guarded(server, () => void asked.push('inner')),
    () => void asked.push('outer'),
  )
  await outer.send(POST)
  asked.length = 0
  server.sent[0]?.beforeSend?.()
  expect(asked).toEqual(['outer', 'inner'])
})

test('a process that does not lead reads and watches, and writes nothing', async () => {
  const server = recording()
  const follower = ledBy(server, {
    assertLeading() {
      throw notLeading('another process leads')
    },
  })
  await follower.send(GET)
  await Array.fromAsync(follower.stream(GET))
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    await expect(follower.send({ ...POST, method })).rejects.toMatchObject({ failure: { code: 'NotLeading' } })
  }
  expect(server.sent.map(({ method }) => method)).toEqual(['GET', 'GET'])
})

describe('an observed call reports verb, resource, code and time', () => {
  const watching = async (request: KubeRequest, status: number): Promise<RequestEvents['kube:request'] | undefined> => {
    const told = createEmitter<RequestEvents>()
    let heard: RequestEvents['kube:request'] | undefined
    told.on('kube:request', (what) => (heard = what))
    await observed(recording(status), told).send(request)
    return heard
  }

  test.each([
    [GET, 200, 'list', 'pods'],
    [{ ...GET, query: { watch: true } }, 200, 'watch', 'pods'],
    [{ method: 'GET', path: '/apis/apps/v1/namespaces/a/deployments/web' }, 404, 'get', 'deployments.apps'],
    [
      { method: 'PATCH', path: '/apis/apps/v1/namespaces/a/deployments/web/status' },
      409,
      'patch',
      'deployments.apps/status',
    ],
    [{ method: 'DELETE', path: '/api/v1/namespaces/a' }, 200, 'delete', 'namespaces'],
    [{ method: 'PUT', path: '/api/v1/namespaces/a/finalize' }, 200, 'update', 'namespaces/finalize'],
    [POST, 201, 'create', 'pods'],
    [{ method: 'GET', path: '/version' }, 200, 'get', 'other'],
  ] as const)('%j', async (request, status, verb, resource) => {
    expect(await watching(request, status)).toMatchObject({
      verb,
      resource,
      code: status,
      ms: expect.any(Number) as number,
    })
  })

  test('and 0 as code when no answer came', async () => {
    const told = createEmitter<RequestEvents>()
    const codes: number[] = []
    told.on('kube:request', ({ code }) => codes.push(code))
    const dead: Transport = { ...recording(), send: () => Promise.reject(raise.KubeUnreachable('gone')) }
    await expect(observed(dead, told).send(GET)).rejects.toThrow('gone')
    expect(codes).toEqual([0])
  })
})

test('what wraps a transport keeps its limit of streams', () => {
  const inner = { ...recording(), maxStreams: 7 }
  const wrapped = [
    impersonate(inner, { user: 'ada' }),
    guarded(inner, () => {}),
    ledBy(inner, { assertLeading() {} }),
    observed(inner, createEmitter<RequestEvents>()),
  ]
  expect(wrapped.map(({ maxStreams }) => maxStreams)).toEqual([7, 7, 7, 7])
})
