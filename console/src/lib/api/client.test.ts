import { describe, expect, test } from 'vitest'
import { apiClient, newIdempotencyKey, queryText } from './client.ts'
import { ProblemError, problemOf, worthRetrying } from './problem.ts'

const answering = (response: () => Response) => {
  const sent: Request[] = []
  let unauthenticated = 0
  const api = apiClient({
    base: 'http://caelus.test/api/v1',
    fetch: async (input, init) => {
      sent.push(new Request(input, init))
      return response()
    },
    onUnauthenticated: () => unauthenticated++,
  })
  return { api, sent, unauthenticated: () => unauthenticated }
}

const problem = {
  type: 'about:blank',
  title: 'Conflict',
  status: 412,
  detail: 'the token was changed meanwhile',
  code: 'VersionConflict',
  whose_move: 'user',
  retryable: false,
  next_step: 'Load it again.',
  request_id: 'req-1',
}

const caught = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('the API client', () => {
  test('sends body, version and idempotency key', async () => {
    const { api, sent } = answering(() => Response.json({ id: 't1' }, { status: 201 }))
    expect(await api.post('/tokens', { name: 'ci' }, { ifMatch: '"7"', idempotencyKey: 'k1' })).toEqual({ id: 't1' })
    const request = sent[0]!
    expect(request.method).toBe('POST')
    expect(request.url).toBe('http://caelus.test/api/v1/tokens')
    expect(request.headers.get('if-match')).toBe('"7"')
    expect(request.headers.get('idempotency-key')).toBe('k1')
    expect(await request.json()).toEqual({ name: 'ci' })
  })

  test('hands the version over with the thing', async () => {
    const { api } = answering(() => Response.json({ a: 1 }, { headers: { etag: '"3"' } }))
    expect(await api.getTagged('/x')).toEqual({ data: { a: 1 }, etag: '"3"' })
  })

  test('throws the problem the API explained', async () => {
    const { api } = answering(() => Response.json(problem, { status: 412 }))
    const error = await caught(api.get('/x'))
    expect(error).toBeInstanceOf(ProblemError)
    expect(problemOf(error)).toEqual(problem)
  })

  test('keeps the request id of an answer that is no problem document', async () => {
    const { api } = answering(
      () => new Response('<html>bad gateway', { status: 502, headers: { 'x-request-id': 'r9' } }),
    )
    expect(problemOf(await caught(api.get('/x')))).toMatchObject({
      code: 'UnexpectedAnswer',
      status: 502,
      request_id: 'r9',
      retryable: true,
    })
  })

  test('tells about a lost login once per 401', async () => {
    const { api, unauthenticated } = answering(() => Response.json({ ...problem, status: 401 }, { status: 401 }))
    await caught(api.get('/me'))
    expect(unauthenticated()).toBe(1)
  })

  test('calls silence ApiUnreachable, and leaves an abort alone', async () => {
    const api = apiClient({
      base: 'http://caelus.test',
      fetch: async (_, init) => {
        init?.signal?.throwIfAborted()
        throw new TypeError('connection refused')
      },
    })
    const read = problemOf(await caught(api.get('/x')))
    expect(read).toMatchObject({ code: 'ApiUnreachable', status: 0, retryable: true })
    expect(read.next_step).toContain('retries automatically')
    expect(problemOf(await caught(api.post('/x'))).next_step).not.toContain('retries')
    expect(await caught(api.get('/x', { signal: AbortSignal.abort(new Error('left the page')) }))).toEqual(
      new Error('left the page'),
    )
  })

  test('answers undefined for 204', async () => {
    const { api } = answering(() => new Response(null, { status: 204 }))
    expect(await api.delete('/tokens/t1')).toBeUndefined()
  })
})

test('absent query values are left out', () => {
  expect(queryText({ limit: 50, cursor: undefined, q: 'a b' })).toBe('?limit=50&q=a+b')
  expect(queryText({})).toBe('')
})

test('only transient failures are tried again, twice', () => {
  const transient = new ProblemError({ ...problem, status: 503, retryable: true } as never)
  expect(worthRetrying(0, transient)).toBe(true)
  expect(worthRetrying(2, transient)).toBe(false)
  expect(worthRetrying(0, new ProblemError(problem as never))).toBe(false)
  expect(worthRetrying(0, new Error('a bug'))).toBe(false)
})

test('idempotency keys differ', () => {
  expect(newIdempotencyKey()).toMatch(/^[0-9a-f]{32}$/)
  expect(newIdempotencyKey()).not.toBe(newIdempotencyKey())
})
