/*
 * The link of an invitation carries its token in the fragment, which a login loses and which no server may see. So the
 * tab keeps it until it is used.
 */

const KEY = 'caelus-invitation'

/** Called before anything redirects to the login. */
export function keepInvitationToken({ pathname, hash }: Pick<Location, 'pathname' | 'hash'>): void {
  if (pathname === '/organizations/accept' && hash.length > 1) sessionStorage.setItem(KEY, hash.slice(1))
}

/** Undefined: this tab opened no link of an invitation. */
export const invitationToken = (): string | undefined => sessionStorage.getItem(KEY) ?? undefined

/** Another link in the same tab changes only the fragment, which loads no page. */
export function onInvitationLink(changed: () => void): () => void {
  const keep = (): void => {
    keepInvitationToken(window.location)
    changed()
  }
  window.addEventListener('hashchange', keep)
  return () => window.removeEventListener('hashchange', keep)
}

export const forgetInvitationToken = (): void => sessionStorage.removeItem(KEY)
