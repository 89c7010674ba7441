import { HttpError } from './errors.ts'

export interface RedirectPolicy {
  /** Redirects that one request may follow. */
  readonly max: number
  /** Throws if a redirect to `target` is not allowed. A redirect from https to http never is. */
  readonly check?: (target: URL) => void
}

/** One stop of a request that follows redirects. */
export interface Stop {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Redirects that were followed before. */
  readonly followed: number
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Never sent to another origin than the one they are meant for. */
const CREDENTIAL_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization'])

export const isRedirect = (status: number): boolean => REDIRECTS.has(status)

/** Where a GET continues after a redirect. Throws if the policy forbids it. */
export function nextStop({ url, headers, followed }: Stop, location: string, { max, check }: RedirectPolicy): Stop {
  if (followed >= max) throw new HttpError('redirected', `${addressOf(url)} redirects more than ${max} times`)
  const target = URL.parse(location, url)
  if (target === null) throw new HttpError('redirected', `${addressOf(url)} redirects to an invalid address`)
  if (!/^https?:$/.test(target.protocol) || (url.protocol === 'https:' && target.protocol === 'http:'))
    throw new HttpError('redirected', `${addressOf(url)} redirects to ${addressOf(target)}, which is not https`)
  check?.(target)
  return {
    url: target,
    headers: target.origin === url.origin ? headers : withoutCredentials(headers),
    followed: followed + 1,
  }
}

/** A URL as messages show it: without credentials and query. */
export const addressOf = ({ protocol, host, pathname }: URL): string => `${protocol}//${host}${pathname}`

const withoutCredentials = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIAL_HEADERS.has(name.toLowerCase())))
