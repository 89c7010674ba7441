import { BlockList, isIP } from 'node:net'
import {
  addressOf,
  failureOfError,
  fetchUrl,
  HostBuckets,
  type FailuresByProblem,
  type UrlAnswer,
} from '../../../http/index.ts'
import type { Dispatcher } from '../../../http/connections/index.ts'
import { raise } from '../failures.ts'

/** What a host is asked with. */
export interface Access {
  /** Absent: requests are anonymous. */
  readonly username?: string
  readonly password?: string
  /** Certificate authorities in PEM. @default those of Node */
  readonly ca?: string
}

/** For a host such as `registry.example.com:5000`, and no other. `undefined`: nothing is known of it. */
export type AccessFor = (host: string) => Access | undefined | Promise<Access | undefined>

export interface Download {
  readonly url: string
  /** The address that named `url`. Another machine may not lead to this one. @default an admin named it */
  readonly from?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly maxBytes: number
  readonly accessFor: AccessFor
  readonly signal?: AbortSignal | undefined
}

/** For all redirects and the last byte, so that a slow server cannot hold a run for longer. */
const TIMEOUT_MS = 60_000
const MAX_REDIRECTS = 5

/** A chart takes four requests; a worker that starts with an empty cache fetches many charts from one host. */
const rates = new HostBuckets({ perSecond: 20, burst: 100, maxWaitMs: TIMEOUT_MS })

export const FAILURES: FailuresByProblem = {
  unreachable: raise.ChartUnreachable,
  tooLarge: raise.ChartInvalid,
  forbidden: raise.ChartForbidden,
  missing: raise.ChartMissing,
}

const OWN_ADDRESSES = new BlockList()
OWN_ADDRESSES.addSubnet('127.0.0.0', 8, 'ipv4')
OWN_ADDRESSES.addAddress('0.0.0.0', 'ipv4')
OWN_ADDRESSES.addAddress('::1', 'ipv6')
OWN_ADDRESSES.addAddress('::', 'ipv6')

/** By the hostname of a URL alone; a name that resolves to this machine does not count. */
export function isLoopback(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  const version = isIP(address)
  if (version === 0) return /^(?:.+\.)?localhost\.?$/.test(hostname)
  return OWN_ADDRESSES.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/** An address as messages show it, without credentials. */
export function shown(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? url : addressOf(parsed)
}

/**
 * One GET that follows redirects. Every address must be https or on loopback, and credentials are not sent to another
 * origin. Any status is an answer.
 */
export async function download({
  url,
  from = url,
  headers = {},
  maxBytes,
  accessFor,
  signal,
}: Download): Promise<UrlAnswer> {
  const start = URL.parse(url)
  if (start === null) throw raise.ChartMissing(`failed to fetch ${url}: it is not an address`)
  const source = URL.parse(from) ?? start
  const check = (target: URL): void => {
    requireEncryption(target)
    if (isLoopback(target.hostname) && !isLoopback(source.hostname))
      throw raise.ChartForbidden(`failed to fetch ${addressOf(target)}: ${source.host} may not lead to this machine`)
  }
  check(start)
  await using connections = new AsyncDisposableStack()
  /** Each host is trusted by its own authorities, also after a redirect. */
  const connectionTo = async ({ host, origin }: URL): Promise<Dispatcher | undefined> => {
    const ca = (await accessFor(host))?.ca
    if (ca === undefined) return undefined
    const { connectionsTo } = await import('../../../http/connections/index.ts')
    const connection = connectionsTo({ origin, connections: 1, tls: { ca } })
    connections.defer(() => connection.close())
    return connection
  }
  try {
    return await fetchUrl({
      url: start,
      headers,
      maxBytes,
      timeoutMs: TIMEOUT_MS,
      redirects: { max: MAX_REDIRECTS, check },
      connectionTo,
      beforeSend: ({ host }, until) => rates.take(host, until),
      signal,
    })
  } catch (error) {
    signal?.throwIfAborted()
    throw failureOfError(FAILURES, `fetch ${addressOf(start)}`, error)
  }
}

function requireEncryption(url: URL): void {
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return
  throw raise.ChartForbidden(`failed to fetch ${addressOf(url)}: only https is allowed; plain http only on loopback`)
}
