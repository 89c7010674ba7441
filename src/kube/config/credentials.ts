import { readFile } from 'node:fs/promises'
import type { Clock } from '../../kernel/index.ts'
import { raiseConfig } from './failures.ts'

/** How one request proves who we are. */
export interface Credentials {
  readonly authorization?: string
  /** PEM. A change of the pair makes new connections. */
  readonly certificate?: string
  readonly key?: string
}

export interface CredentialSource {
  /** For the redacted view and error messages: `token`, `exec aws-iam-authenticator`. */
  readonly kind: string
  /** The credentials to use now. Cheap when nothing changed. */
  current(): Promise<Credentials>
  /** The server refused those: forget what is cached. False: there is nothing else to try. */
  refused(refused: Credentials): boolean
}

export const fixedCredentials = (kind: string, credentials: Credentials): CredentialSource => ({
  kind,
  current: () => Promise.resolve(credentials),
  refused: () => false,
})

/** How long a token file is believed; kubelets rewrite theirs well before the old one expires. */
const REREAD_MS = 60_000

/** A token in a file that somebody else rotates: read again every minute, and at once when the server refuses it. */
export function tokenFileCredentials(path: string, clock: Clock): CredentialSource {
  let read: { readonly at: number; readonly credentials: Promise<Credentials> } | undefined
  const load = async (): Promise<Credentials> => {
    const token = await readFile(path, 'utf8').catch((cause: unknown) => {
      throw raiseConfig(`failed to read token file ${path}`, cause)
    })
    if (token.trim() === '') throw raiseConfig(`failed to read token file ${path}: it is empty`)
    return { authorization: `Bearer ${token.trim()}` }
  }
  return {
    kind: 'token file',
    current() {
      if (read !== undefined && clock.now() - read.at < REREAD_MS) return read.credentials
      const credentials = load()
      credentials.catch(() => (read = undefined))
      read = { at: clock.now(), credentials }
      return credentials
    },
    refused() {
      read = undefined
      return true
    },
  }
}
