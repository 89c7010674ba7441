import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { fakeMetrics, prometheus, type MetricsSource, type Sample } from '../../../src/domains/runtimes/index.ts'
import { startPrometheus } from '../../../tools/prometheus.ts'

/** The first start on a machine downloads it. */
const OBTAIN_MS = 300_000
const never = new AbortController().signal
const METRIC = 'temperature_celsius'

/** NaN is how a ratio of nothing looks. */
const EXPOSED = `${METRIC}{namespace="a",pod="one"} 21.5\n${METRIC}{namespace="b",pod="two"} -3\n${METRIC}{namespace="b",pod="three"} NaN\n`

interface Given extends AsyncDisposable {
  readonly source: MetricsSource
  switchOff(): Promise<void>
}

async function real(): Promise<Given> {
  const exposing = createServer((_, response) => response.end(EXPOSED)).listen(0, '127.0.0.1')
  await once(exposing, 'listening')
  const server = await startPrometheus({
    targets: { weather: `127.0.0.1:${(exposing.address() as AddressInfo).port}` },
  })
  const source = prometheus({ url: server.url, timeoutMs: 10_000 })
  let isOff = false
  const switchOff = async (): Promise<void> => {
    if (!isOff) await server.stop()
    isOff = true
  }
  return {
    source,
    switchOff,
    async [Symbol.asyncDispose]() {
      await source.close()
      await switchOff()
      exposing.closeAllConnections()
      exposing.close()
    },
  }
}

async function fake(): Promise<Given> {
  const source = fakeMetrics()
  source.answer(METRIC, [
    { labels: { __name__: METRIC, namespace: 'a', pod: 'one' }, value: 21.5 },
    { labels: { __name__: METRIC, namespace: 'b', pod: 'two' }, value: -3 },
    { labels: { __name__: METRIC, namespace: 'b', pod: 'three' }, value: Number.NaN },
  ])
  return { source, switchOff: async () => source.up(false), [Symbol.asyncDispose]: async () => {} }
}

describe.for([
  ['Prometheus', real],
  ['the fake', fake],
] as const)('%s', ([, make]) => {
  test(
    'answers with labels and finite values, with nothing, or with a reason',
    async () => {
      await using given = await make()
      const { source } = given
      const ofPods = (samples: readonly Sample[]) =>
        samples.map(({ labels, value }) => `${labels['namespace']}/${labels['pod']} ${value}`).toSorted()
      // A scrape that came too late hides what the one before it has seen.
      await expect.poll(async () => ofPods(await source.query(METRIC, never))).toEqual(['a/one 21.5', 'b/two -3'])
      expect(await source.query('nobody_exposes_this', never)).toEqual([])
      await expect(source.query(`sum(${METRIC}`, never)).rejects.toMatchObject({
        failure: { code: 'MetricsQueryInvalid' },
      })
      await expect(source.query(METRIC, AbortSignal.abort(new Error('stopping')))).rejects.toThrow('stopping')
      await given.switchOff()
      await expect(source.query(METRIC, never)).rejects.toMatchObject({ failure: { code: 'MetricsUnreachable' } })
    },
    OBTAIN_MS,
  )
})

describe('a server that is not well', () => {
  async function answering(status: number, body: string | undefined): Promise<AsyncDisposable & { url: string }> {
    const server = createServer((_, response) => {
      response.statusCode = status
      if (body !== undefined) response.end(body)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return {
      url: `http://reader:s3cret@127.0.0.1:${(server.address() as AddressInfo).port}/prometheus/`,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections()
        server.close()
      },
    }
  }
  const vector = JSON.stringify({ status: 'success', data: { resultType: 'vector', result: [] } })

  test.for<
    [
      why: string,
      status: number,
      body: string | undefined,
      options: { timeoutMs?: number; maxBytes?: number },
      code: string,
    ]
  >([
    ['takes for ever', 200, undefined, { timeoutMs: 50 }, 'MetricsTimedOut'],
    ['says too much', 200, vector, { maxBytes: 10 }, 'MetricsTooLarge'],
    ['does not speak JSON', 200, '<html>', {}, 'MetricsUnreachable'],
    ['is busy', 503, 'busy', {}, 'MetricsUnreachable'],
    ['wants other credentials', 401, 'no', {}, 'MetricsRefused'],
    [
      'answers with a number',
      200,
      JSON.stringify({ status: 'success', data: { resultType: 'scalar', result: [0, '1'] } }),
      {},
      'MetricsQueryInvalid',
    ],
    [
      'gave up itself',
      422,
      JSON.stringify({ status: 'error', errorType: 'timeout', error: 'query timed out' }),
      {},
      'MetricsTimedOut',
    ],
  ])('that %s', async ([, status, body, options, code]) => {
    await using server = await answering(status, body)
    await using source = prometheus({ url: server.url, ...options })
    const error: unknown = await source.query('up', never).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ failure: { code } })
    expect(String(error)).not.toContain('s3cret')
  })

  test('that is not there', async () => {
    await using source = prometheus({ url: 'http://127.0.0.1:1' })
    await expect(source.query('up', never)).rejects.toMatchObject({ failure: { code: 'MetricsUnreachable' } })
  })

  test('gets the credentials of its address under the path it is served', async () => {
    const seen: unknown[] = []
    const server = createServer((request, response) => {
      seen.push([request.url, request.headers.authorization])
      response.end(vector)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await using source = prometheus({
      url: `http://reader:s3cret@127.0.0.1:${(server.address() as AddressInfo).port}/prometheus/`,
    })
    expect(await source.query('up', never)).toEqual([])
    expect(seen).toEqual([['/prometheus/api/v1/query', `Basic ${Buffer.from('reader:s3cret').toString('base64')}`]])
    server.closeAllConnections()
    server.close()
  })
})
