const OWN = 'http://own.invalid'

/**
 * Where to go after signing in. Only paths of this console: anything else could lead the user elsewhere. Compared as the
 * browser reads it, which drops tabs and line ends.
 */
export function returnPath(search: string): string {
  const wanted = new URLSearchParams(search).get('return_to') ?? '/'
  const url = URL.parse(wanted, OWN)
  if (!wanted.startsWith('/') || url === null || url.origin !== OWN) return '/'
  const path = `${url.pathname}${url.search}${url.hash}`
  return path.startsWith('//') || path.startsWith('/login') ? '/' : path
}

/** The login page that leads back to `path`. */
export const loginPath = (path: string): string =>
  path === '/' || path.startsWith('/login') ? '/login' : `/login?${new URLSearchParams({ return_to: path })}`
