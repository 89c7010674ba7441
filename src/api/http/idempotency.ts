import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { raise } from '../failures.ts'
import { etagOf } from './preconditions.ts'
import { RefusedFields } from '../../kernel/index.ts'

export interface Answer {
  readonly status: number
  readonly body: unknown
}

export type FirstRequest =
  /** There was none: it is ours to answer. */
  | { readonly is: 'this' }
  /** The key belongs to a request that said something else. */
  | { readonly is: 'another' }
  | { readonly is: 'running' }
  | { readonly is: 'answered'; readonly answer: Answer }

export interface IdempotencyKeys {
  /**
   * Takes the key for this request unless another one has it. One whose process died is taken over after a while.
   * `digest` names what the request says; only a keyed digest of it is kept.
   */
  begin(userId: string, key: string, digest: Buffer): Promise<FirstRequest>
  answer(userId: string, key: string, answer: Answer): Promise<void>
  /** The request failed and changed nothing: the key may be used again. */
  forget(userId: string, key: string): Promise<void>
}

const KEY = /^[\x21-\x7E]{1,255}$/

/**
 * Makes routes with `config: { idempotent: true }` honour Idempotency-Key.
 *
 * The first request with a key does the work; the same request again gets the same answer, marked
 * `Idempotency-Replayed: true`. Only success is remembered: what failed may be tried again. Not for answers that carry
 * a secret, because the answer is kept.
 */
export function honourIdempotencyKeys(app: FastifyInstance, keys: IdempotencyKeys): void {
  const held = new WeakMap<FastifyRequest, { readonly userId: string; readonly key: string }>()

  app.addHook('preHandler', async (request, reply) => {
    const key = request.headers['idempotency-key']
    if (request.routeOptions.config.idempotent !== true || key === undefined || request.identity === undefined) return
    if (typeof key !== 'string' || !KEY.test(key)) {
      throw new RefusedFields([
        { field: 'Idempotency-Key', message: 'must be 1 to 255 printable characters without spaces' },
      ])
    }
    const { userId } = request.identity
    const first = await keys.begin(userId, key, digestOf(request))
    if (first.is === 'this') {
      held.set(request, { userId, key })
      return
    }
    if (first.is === 'another') {
      throw raise.IdempotencyKeyReused('this Idempotency-Key was used for a different request')
    }
    if (first.is === 'running')
      throw raise.StillRunning('the first request with this Idempotency-Key is not answered yet')
    // Waits until it is sent, so that the handler does not run.
    const { status, body } = first.answer
    if (isVersioned(body)) void reply.header('etag', etagOf(body.generation))
    await reply.code(status).header('idempotency-replayed', 'true').send(body)
  })

  // Serialized by now, and not sent yet: if remembering fails the client sees the failure instead of a success it could lose.
  app.addHook('onSend', async (request, reply, payload) => {
    const mine = held.get(request)
    if (mine === undefined) return payload
    held.delete(request)
    if (reply.statusCode >= 300) await keys.forget(mine.userId, mine.key)
    else await keys.answer(mine.userId, mine.key, { status: reply.statusCode, body: bodyOf(payload) })
    return payload
  })
}

const digestOf = ({ method, url, body, headers }: FastifyRequest): Buffer => {
  const version = headers['if-match']
  const parts = [method, url, ...(version === undefined ? [] : [version]), JSON.stringify(body ?? null)]
  return createHash('sha256').update(parts.join('\n')).digest()
}

const isVersioned = (body: unknown): body is { readonly generation: number } =>
  typeof body === 'object' && body !== null && 'generation' in body && typeof body.generation === 'number'

const bodyOf = (payload: unknown): unknown =>
  typeof payload === 'string' && payload !== '' ? JSON.parse(payload) : null
