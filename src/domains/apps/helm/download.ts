import { raise } from '../failures.ts'

export interface Credentials {
  readonly username: string
  readonly password: string
}

/** Who we are for a host such as `registry.example.com:5000`; `undefined`: nobody in particular. */
export type CredentialsFor = (host: string) => Credentials | undefined

export interface Download {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

export interface Downloaded {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
}

const TIMEOUT_MS = 60_000
const MAX_REDIRECTS = 5

/** This very machine, by the hostname of a URL; a name that merely resolves to it does not count. */
export const isLoopback = (hostname: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname)

/** What people may read of an address: credentials in it stay with us. */
export function shown(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return url
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`
}

/**
 * One GET, redirects followed by hand: each stop must be encrypted (or this very machine), and our authorization is not
 * carried to another origin. Any status is an answer; only silence and excess are failures.
 */
export async function download({ url, headers = {}, maxBytes, signal }: Download): Promise<Downloaded> {
  const limit = AbortSignal.timeout(TIMEOUT_MS)
  const until = signal === undefined ? limit : AbortSignal.any([signal, limit])
  let [at, sent] = [checked(url), { ...headers }]
  for (let stops = 0; stops <= MAX_REDIRECTS; stops++) {
    const response = await fetch(at, { headers: sent, redirect: 'manual', signal: until }).catch(
      unreachable(at, signal),
    )
    const next = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
    if (next === null)
      return {
        status: response.status,
        headers: response.headers,
        body: await bodyOf(response, maxBytes, until, signal),
      }
    await response.body?.cancel()
    const target = checked(new URL(next, at).href)
    if (target.origin !== at.origin) sent = withoutAuthorization(sent)
    at = target
  }
  throw raise.ChartUnreachable(`failed to fetch ${shown(url)}: it redirects more than ${MAX_REDIRECTS} times`)
}

function checked(url: string): URL {
  const parsed = URL.parse(url)
  if (parsed === null) throw raise.ChartMissing(`failed to fetch ${url}: it is not an address`)
  if (parsed.protocol === 'https:' || (parsed.protocol === 'http:' && isLoopback(parsed.hostname))) return parsed
  throw raise.ChartForbidden(`failed to fetch ${shown(url)}: only https is allowed, plain http on loopback alone`)
}

const withoutAuthorization = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'))

const unreachable =
  (at: URL, signal: AbortSignal | undefined) =>
  (cause: unknown): never => {
    signal?.throwIfAborted()
    throw raise.ChartUnreachable(`failed to reach ${at.origin}`, { cause })
  }

/** Refuses an answer that is too large as soon as that shows, not after it has filled the memory. */
async function bodyOf(
  response: Response,
  maxBytes: number,
  until: AbortSignal,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let size = 0
  const tooLarge = () =>
    raise.ChartInvalid(`failed to fetch ${shown(response.url)}: it has more than ${maxBytes} bytes`)
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await response.body?.cancel()
    throw tooLarge()
  }
  try {
    for await (const part of response.body ?? []) {
      until.throwIfAborted()
      size += part.length
      if (size > maxBytes) break
      parts.push(part)
    }
  } catch (error) {
    unreachable(new URL(response.url), signal)(error)
  }
  if (size > maxBytes) throw tooLarge()
  return Buffer.concat(parts)
}
