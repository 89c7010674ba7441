import { raise } from '../src/kube/errors.ts'
import type { KubeRequest, KubeResponse, Transport } from '../src/kube/index.ts'
import type { Life } from './life.ts'

const textOf = ({ method, path, query = {} }: KubeRequest): string => {
  const dropped = query['fieldManager'] === undefined ? '' : ` as ${String(query['fieldManager'])}`
  return `${method} ${path.replace(/^\/apis?\//, '')}${dropped}`
}

const unreachable = (request: KubeRequest, why: string) => raise.KubeUnreachable(`failed to ${textOf(request)}: ${why}`)

/** The way of one process to the API server. Every call and every watch event is a point at which things go wrong. */
export function network(inner: Transport, life: Life): Transport {
  return {
    send: (request) => send(inner, life, request),
    stream: (request) => stream(inner, life, request),
  }
}

async function send(inner: Transport, life: Life, request: KubeRequest): Promise<KubeResponse> {
  const note = (what: string): void => life.timeline.add(life.name, `${textOf(request)}  ${what}`)
  await life.onTheWay()
  if (life.happens('lost')) {
    note('is lost')
    await life.point()
    throw unreachable(request, 'the connection was reset')
  }
  if (life.happens('refused')) {
    note('→ 503')
    await life.point()
    return {
      status: 503,
      headers: {},
      body: { kind: 'Status', status: 'Failure', code: 503, reason: 'ServiceUnavailable' },
    }
  }
  const isWrite = request.method !== 'GET'
  const isUnanswered = life.happens('unanswered')
  let answer = await inner.send(withoutSignal(request))
  note(`→ ${answer.status}${isUnanswered ? ', and the answer is lost' : ''}`)
  if (isWrite && life.happens('twice')) {
    await life.onTheWay()
    answer = await inner.send(withoutSignal(request))
    note(`→ ${answer.status}, sent again on the way`)
  }
  await life.point()
  request.signal?.throwIfAborted()
  if (isUnanswered) throw unreachable(request, 'the connection was reset before the answer')
  return answer
}

/** What is on its way arrives, even when the caller no longer waits. */
function withoutSignal(request: KubeRequest): KubeRequest {
  const { signal: _signal, ...rest } = request
  return rest
}

async function* stream(inner: Transport, life: Life, request: KubeRequest): AsyncGenerator {
  const note = (what: string): void =>
    life.timeline.add(life.name, `watch ${request.path.replace(/^\/apis?\//, '')}  ${what}`)
  const signal = request.signal === undefined ? life.signal : AbortSignal.any([request.signal, life.signal])
  await life.point()
  if (life.happens('lost')) throw unreachable(request, 'the connection was reset')
  for await (const line of inner.stream({ ...request, signal })) {
    const isLate = life.happens('late')
    await life.point(isLate ? life.random() * 15_000 : life.random() * 10)
    if (signal.aborted) return
    if (life.happens('cut')) {
      note('breaks')
      throw unreachable(request, 'the connection was reset')
    }
    if (life.happens('deaf')) {
      note('goes silent')
      await aborted(signal)
      return
    }
    yield line
    if (life.happens('repeated')) yield structuredClone(line)
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
