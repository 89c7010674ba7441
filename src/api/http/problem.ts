import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { FailureError, failureOf, RefusedFields, retryAfterOf, type Failure } from '../../kernel/index.ts'
import type { Problem } from '../contract/index.ts'
import { raise, statusOf } from '../failures.ts'
import { ValidationError, type FieldErrors } from './validation.ts'

export interface Refusal {
  readonly failure: Failure
  readonly fields?: FieldErrors
  readonly retryAfterMs?: number
}

/** What the framework refuses before a handler runs, in our words. */
const FRAMEWORK: Readonly<Record<string, (error: FastifyError) => Failure>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => raise.TooLarge('the body is larger than the server accepts').failure,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => raise.UnsupportedMediaType('the body is not JSON').failure,
  FST_ERR_CTP_EMPTY_JSON_BODY: () => raise.InvalidRequest('the body is empty, but its type is JSON').failure,
  FST_ERR_CTP_INVALID_JSON_BODY: () => raise.InvalidRequest('the body is not valid JSON').failure,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    raise.InvalidRequest('the body is not as long as Content-Length says').failure,
  FST_ERR_BAD_URL: () => raise.InvalidRequest('the path is not validly encoded').failure,
}

/**
 * The verdict on anything thrown while answering.
 *
 * A failure that was raised on purpose speaks for itself. Anything else is a defect or a broken dependency: its text
 * may quote internal data: the answer only says that it happened, the log has the details.
 */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof RefusedFields) return { failure: error.failure, fields: [...error.fields] }
  if (error instanceof ValidationError) {
    return { failure: raise.InvalidRequest('the request is not valid').failure, fields: error.fields }
  }
  const retryAfterMs = retryAfterOf(error)
  // The causes of a failure are for the log: they may quote what the caller must not see.
  const failure = error instanceof FailureError ? error.failure : failureOf(error)
  if (failure.code !== 'Unexpected') return { failure, ...(retryAfterMs !== undefined && { retryAfterMs }) }
  const { code, statusCode } = error as FastifyError
  const framework = FRAMEWORK[code]
  if (framework) return { failure: framework(error as FastifyError) }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return { failure: raise.InvalidRequest('the request cannot be understood').failure }
  }
  return { failure: raise.Internal('the server failed to answer this request').failure }
}

export interface ProblemContext {
  readonly instance: string
  readonly requestId: string
  readonly scrub: (text: string) => string
}

export const problemFor = ({ failure, fields }: Refusal, { instance, requestId, scrub }: ProblemContext): Problem => ({
  type: `urn:caelus:failure:${failure.code}`,
  title: inWords(failure.code),
  status: statusOf(failure),
  detail: scrub(failure.message),
  instance,
  code: failure.code,
  whose_move: failure.whoseMove,
  retryable: failure.retryable,
  next_step: failure.nextStep,
  request_id: requestId,
  ...(fields && { errors: fields.map(({ field, message }) => ({ field, message: scrub(message) })) }),
})

/** `ChangedMeanwhile` → `Changed meanwhile` */
const inWords = (code: string): string => code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
  scrub: (text: string) => string,
): FastifyReply {
  const { status, ...rest } = problemFor(refusal, { instance: pathOf(request.url), requestId: request.id, scrub })
  if (status === 401) void reply.header('www-authenticate', 'Bearer realm="caelus"')
  if (refusal.retryAfterMs !== undefined) void reply.header('retry-after', Math.ceil(refusal.retryAfterMs / 1000))
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send({ ...rest, status })
}

/** Without the query: it may carry what does not belong into an answer or a log. */
export const pathOf = (url: string): string => url.split('?', 1)[0] ?? url
