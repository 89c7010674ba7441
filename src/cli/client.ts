import { addressOf, failureOfError, fetchUrl, type UrlAnswer } from '../http/index.ts'
import type { Failure } from '../kernel/index.ts'
import type { Remote } from './ports.ts'
import { raise } from './failures.ts'

/** A problem as the server sends it. Commands share no code with the server. */
interface WireProblem {
  readonly code: string
  readonly detail: string
  readonly whose_move: Failure['whoseMove']
  readonly retryable: boolean
  readonly next_step: string
  readonly request_id?: string
  readonly errors?: readonly { readonly field: string; readonly message: string }[]
}

export class ServerRefusal extends Error {
  override readonly name = 'ServerRefusal'
  readonly failure: Failure
  readonly fields: readonly { readonly field: string; readonly message: string }[]
  /** Absent if the failure is a part of an answer, not the answer. */
  readonly requestId: string | undefined

  constructor({ code, detail, whose_move, retryable, next_step, request_id, errors = [] }: WireProblem) {
    super(detail)
    this.failure = { code, message: detail, whoseMove: whose_move, retryable, nextStep: next_step }
    this.fields = errors
    this.requestId = request_id
  }
}

export interface RestClient {
  get<T>(path: string, query?: Readonly<Record<string, string | undefined>>): Promise<T>
  /** An answer that is YAML, as it is. */
  getText(path: string): Promise<string>
  /** `onVersion`: the generation that was read. The server refuses the change if the object has another one. */
  post<T>(path: string, body?: unknown, onVersion?: number): Promise<T>
  put<T>(path: string, body: unknown, onVersion?: number): Promise<T>
  patch<T>(path: string, body: unknown, onVersion?: number): Promise<T>
  delete(path: string, onVersion?: number): Promise<void>
}

const TIMEOUT_MS = 30_000
const MAX_BYTES = 64 * 2 ** 20

export function restClient({ url, token }: Remote): RestClient {
  const fetched = async (method: string, path: string, body?: unknown, onVersion?: number): Promise<UrlAnswer> =>
    await fetchUrl({
      url: `${url}/api/v1${path}`,
      method,
      headers: {
        accept: 'application/json, application/yaml',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(onVersion !== undefined && { 'if-match': `"${onVersion}"` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    }).catch((error: unknown) => {
      throw failureOfError({ unreachable: raise.ServerUnreachable }, `reach ${url}`, error)
    })
  const send = async (...request: Parameters<typeof fetched>): Promise<unknown> => {
    const answer = await fetched(...request)
    if (answer.status >= 300) throw refusalIn(url, answer)
    const text = answer.body.toString('utf8')
    try {
      return text === '' ? undefined : JSON.parse(text)
    } catch {
      throw refusalIn(url, answer)
    }
  }
  return {
    get: (path, query = {}) => send('GET', `${path}${queryText(query)}`) as Promise<never>,
    getText: async (path) => {
      const answer = await fetched('GET', path)
      if (answer.status >= 300 || answer.headers.get('content-type')?.includes('application/yaml') !== true)
        throw refusalIn(url, answer)
      return answer.body.toString('utf8')
    },
    post: (path, body, onVersion) => send('POST', path, body, onVersion) as Promise<never>,
    put: (path, body, onVersion) => send('PUT', path, body, onVersion) as Promise<never>,
    patch: (path, body, onVersion) => send('PATCH', path, body, onVersion) as Promise<never>,
    delete: async (path, onVersion) => void (await send('DELETE', path, undefined, onVersion)),
  }
}

/** What an answer says that is not what was asked for. */
function refusalIn(url: string, { status, headers, body }: UrlAnswer): Error {
  try {
    if (headers.get('content-type')?.includes('application/problem+json'))
      return new ServerRefusal(JSON.parse(body.toString('utf8')))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  const target = status < 400 ? URL.parse(headers.get('location') ?? '') : null
  return raise.ServerUnreachable(
    target === null
      ? `${url} answered ${status}, but not like a Caelus server`
      : `failed to reach ${url}: it redirects to ${addressOf(target)}, which is not followed`,
  )
}

function queryText(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}

/** Every item of a list, page by page. */
export async function allPages<T>(
  client: RestClient,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): Promise<T[]> {
  const items: T[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: { items: T[]; next_cursor: string | null } = await client.get(path, { ...query, limit: '200', cursor })
    items.push(...page.items)
    cursor = page.next_cursor
  }
  return items
}
