/** Where to go after signing in. Only paths of this console: anything else could lead the user elsewhere. */
export function returnPath(search: string): string {
  const wanted = new URLSearchParams(search).get('return_to')
  if (wanted === null || !/^\/(?![/\\])/.test(wanted) || wanted.startsWith('/login')) return '/'
  return wanted
}

/** The login page that leads back to `path`. */
export const loginPath = (path: string): string =>
  path === '/' || path.startsWith('/login') ? '/login' : `/login?${new URLSearchParams({ return_to: path })}`
