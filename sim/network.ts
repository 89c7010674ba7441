import { aborted } from '../src/kernel/index.ts'
import { raise } from '../src/kube/errors.ts'
import type { KubeRequest, KubeResponse, Transport } from '../src/kube/index.ts'
import type { Life } from './life.ts'
import { type Call, never } from './link.ts'

/** An API server, as processes reach it. */
export interface Server {
  /** Names the connections to it. */
  readonly name: string
  /** It answers no request. */
  readonly isDown: boolean
}

/** How long a caller waits for an answer before it gives up, as the HTTP client does. */
const ANSWER_MS = 30_000

/** The platform's own. */
export const KUBERNETES: Server = { name: 'kubernetes', isDown: false }

/** What the standing laws see of the traffic of processes. */
export interface Witness {
  /** A request leaves its process. Answers with what is wrong about that, should it be a write that is done. */
  sent(life: Life, request: KubeRequest): string | undefined
  /** The server has done it. */
  done(life: Life, request: KubeRequest, response: KubeResponse, objection: string | undefined): void
  /** The answer reaches the process. */
  answered(life: Life, request: KubeRequest, response: KubeResponse): void
}

const textOf = ({ method, path, query = {} }: KubeRequest): string => {
  const dropped = query['fieldManager'] === undefined ? '' : ` as ${String(query['fieldManager'])}`
  return `${method} ${path.replace(/^\/apis?\//, '')}${dropped}`
}

const unreachable = (request: KubeRequest, why: string) => raise.KubeUnreachable(`failed to ${textOf(request)}: ${why}`)

/** The way of one process to an API server. */
interface Way {
  readonly inner: Transport
  readonly life: Life
  readonly server: Server
  readonly witness: Witness | undefined
}

/** The way of one process to an API server. Every call and every watch event is a point at which things go wrong. */
export function network(inner: Transport, life: Life, witness?: Witness, server = KUBERNETES): Transport {
  const way: Way = { inner, life, server, witness }
  const link = life.link(server.name, ANSWER_MS)
  return {
    send: (request) =>
      link.answered(
        (call) => send(way, request, call),
        (why) => unreachable(request, why),
        request.signal,
      ),
    stream: (request) => stream(way, request),
  }
}

/** The platform's own goes without saying. */
const noteOf =
  ({ life, server }: Way, what: string) =>
  (how: string): void =>
    life.timeline.add(life.name, `${server === KUBERNETES ? '' : `${server.name}: `}${what}  ${how}`)

async function send(way: Way, request: KubeRequest, call: Call): Promise<KubeResponse> {
  const { inner, life, server, witness } = way
  const note = noteOf(way, textOf(request))
  const link = life.link(server.name, ANSWER_MS)
  const isWrite = request.method !== 'GET'
  const perform = async (): Promise<KubeResponse> => {
    const response = await inner.send(withoutSignal(request))
    // Between two writes a pause does the most harm.
    if (isWrite && life.happens('pause') && life.random() < 0.05) life.pauseForAWhile()
    witness?.done(life, request, response, objection)
    return response
  }
  request.signal?.throwIfAborted()
  const objection = witness?.sent(life, request)
  await life.onTheWay()
  if (!(await link.carry(call))) return await never()
  if (life.happens('lost')) {
    note('is lost')
    await life.point()
    throw unreachable(request, 'the connection was reset')
  }
  if (server.isDown) {
    await life.point()
    throw unreachable(request, 'the connection was refused')
  }
  if (life.happens('refused')) {
    const refusal = life.random() < 0.5 ? UNAVAILABLE : BUSY
    note(`→ ${refusal.status}`)
    await life.point()
    return structuredClone(refusal)
  }
  const isUnanswered = life.happens('unanswered')
  let answer = await perform()
  note(`→ ${answer.status}${isUnanswered ? ', and the answer is lost' : ''}`)
  if (isWrite && life.happens('twice')) {
    await life.onTheWay()
    answer = await perform()
    note(`→ ${answer.status}, sent again on the way`)
  }
  if (!(await link.carry(call))) return await never()
  await life.point()
  if (isUnanswered) throw unreachable(request, 'the connection was reset before the answer')
  // A caller that has given up learns nothing.
  if (!request.signal?.aborted) witness?.answered(life, request, answer)
  return answer
}

const UNAVAILABLE: KubeResponse = {
  status: 503,
  headers: {},
  body: { kind: 'Status', status: 'Failure', code: 503, reason: 'ServiceUnavailable' },
}

const BUSY: KubeResponse = {
  status: 429,
  headers: { 'retry-after': '2' },
  body: { kind: 'Status', status: 'Failure', code: 429, reason: 'TooManyRequests' },
}

/** What is on its way arrives, even when the caller no longer waits. */
function withoutSignal(request: KubeRequest): KubeRequest {
  const { signal: _signal, ...rest } = request
  return rest
}

async function* stream(way: Way, request: KubeRequest): AsyncGenerator {
  const { inner, life, server } = way
  const note = noteOf(way, `watch ${request.path.replace(/^\/apis?\//, '')}`)
  const signal = request.signal === undefined ? life.signal : AbortSignal.any([request.signal, life.signal])
  const link = life.link(server.name, ANSWER_MS)
  await life.point()
  if (!(await link.carry({ isGivenUp: () => signal.aborted }))) await aborted(signal)
  if (life.happens('lost')) throw unreachable(request, 'the connection was reset')
  if (server.isDown) throw unreachable(request, 'the connection was refused')
  try {
    for await (const line of inner.stream({ ...request, signal })) {
      const isLate = life.happens('late')
      if (!link.isOpen) await Promise.race([link.carryInOrder(), aborted(signal)])
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
  } catch (error) {
    if (!signal.aborted) await life.point()
    throw error
  }
}
