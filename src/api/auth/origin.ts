import type { IncomingHttpHeaders } from 'node:http'

/** Where the page that made a request came from, as far as a browser tells. */
export type Site = 'same' | 'other' | 'untold'

/**
 * Browsers say by themselves, and scripts cannot change it, where a request comes from: Sec-Fetch-Site, or on older
 * ones Origin. A program that is no browser tells nothing.
 */
export function siteOf(headers: IncomingHttpHeaders, ownOrigins: readonly string[]): Site {
  const fetchSite = headers['sec-fetch-site']
  if (fetchSite !== undefined) return fetchSite === 'same-origin' ? 'same' : 'other'
  if (headers.origin !== undefined) return ownOrigins.includes(headers.origin) ? 'same' : 'other'
  return 'untold'
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

export const isWrite = (method: string): boolean => !READS.has(method)

export const isLoopbackAddress = (address: string | undefined): boolean =>
  address !== undefined && /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(address)

/** Of a Host header. A name that merely resolves to loopback is not one: a foreign page could own it. */
export const isLoopbackHost = (host: string | undefined): boolean =>
  host !== undefined && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host)
