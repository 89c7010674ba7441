import { expect, test } from 'vitest'
import { line } from './line.ts'
import { SILENCE_MS } from './connection.ts'

/** A server whose streams the test opens, feeds and breaks; a clock the test pushes. */
function world(): {
  live: ReturnType<typeof line>
  requests: {
    lastId: string | null
    answer: (status?: number) => Promise<void>
    send: (text: string) => Promise<void>
    breakOff: () => Promise<void>
  }[]
  pass: (ms: number) => Promise<void>
  seen: string[]
} {
  let now = 0
  let tick = (): void => {}
  const seen: string[] = []
  const requests: ReturnType<typeof world>['requests'] = []
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 30; turn++) await Promise.resolve()
    await new Promise((resolve) => setTimeout(resolve))
  }
  const live = line({
    url: '/api/v1/events/stream',
    now: () => now,
    everySecond: (fn) => {
      tick = fn
      return () => (tick = () => {})
    },
    onOpen: () => seen.push('open'),
    onEvent: (event) => seen.push(`${event.event} ${event.data}`),
    onRefused: () => seen.push('refused'),
    fetch: (_, init) =>
      new Promise((resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
        let body!: ReadableStreamDefaultController<Uint8Array>
        const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (body = controller) })
        requests.push({
          lastId: new Headers(init?.headers).get('last-event-id'),
          answer: async (status = 200) => {
            resolve(new Response(stream as never, { status }))
            await settle()
          },
          send: async (text) => {
            body.enqueue(new TextEncoder().encode(text))
            await settle()
          },
          breakOff: async () => {
            body.error(new Error('connection reset'))
            await settle()
          },
        })
      }),
  })
  const pass = async (ms: number): Promise<void> => {
    for (const until = now + ms; now < until;) {
      now += 1_000
      tick()
      await settle()
    }
  }
  return { live, requests, pass, seen }
}

test('resumes after the last event it saw when the stream breaks', async () => {
  const { live, requests, pass, seen } = world()
  live.start()
  await requests[0]!.answer()
  await requests[0]!.send('id: 41\nevent: change\ndata: a\n\n')
  expect(live.state().kind).toBe('connected')

  await requests[0]!.breakOff()
  expect(live.state().kind).toBe('waiting')
  await pass(1_000)
  await requests[1]!.answer()

  expect(requests.map((request) => request.lastId)).toEqual([null, '41'])
  expect(seen).toEqual(['open', 'change a', 'open'])
  live.stop()
})

test('gives up a silent stream and opens another', async () => {
  const { live, requests, pass } = world()
  live.start()
  await requests[0]!.answer()
  await pass(SILENCE_MS)
  expect(live.state().kind).toBe('waiting')
  await pass(1_000)
  expect(requests).toHaveLength(2)
  live.stop()
})

test('heartbeats keep it alive', async () => {
  const { live, requests, pass } = world()
  live.start()
  await requests[0]!.answer()
  for (let beat = 0; beat < 6; beat++) {
    await pass(15_000)
    await requests[0]!.send('event: heartbeat\ndata: {}\n\n')
  }
  expect(live.state().kind).toBe('connected')
  expect(requests).toHaveLength(1)
  live.stop()
})

test('asks for a login instead of knocking again when it is refused', async () => {
  const { live, requests, pass, seen } = world()
  live.start()
  await requests[0]!.answer(401)
  await pass(60_000)
  expect(live.state().kind).toBe('refused')
  expect(requests).toHaveLength(1)
  expect(seen).toEqual(['refused'])
  live.stop()
})

test('goes offline with the network and connects when it is back', async () => {
  const { live, requests } = world()
  live.start()
  live.networkChanged(false)
  expect(live.state().kind).toBe('offline')
  live.networkChanged(true)
  await requests[1]!.answer()
  expect(live.state().kind).toBe('connected')
  live.stop()
})
