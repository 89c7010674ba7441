import { readFile } from 'node:fs/promises'
import type { Clock } from '../../kernel/index.ts'
import { raiseConfig } from './failures.ts'

/** The credentials of one request. */
export interface Credentials {
  readonly authorization?: string
  /** PEM. A new pair opens new connections. */
  readonly certificate?: string
  readonly key?: string
}

export interface CredentialSource {
  /** For the redacted view and error messages: `token`, `exec aws-iam-authenticator`. */
  readonly kind: string
  /** The present credentials, cached while they are valid. */
  current(): Promise<Credentials>
  /** The server refused these credentials: drops them from the cache. False: there are no others. */
  refused(refused: Credentials): boolean
}

export const fixedCredentials = (kind: string, credentials: Credentials): CredentialSource => ({
  kind,
  current: () => Promise.resolve(credentials),
  refused: () => false,
})

/** How long a token from a file is cached. Kubelets rewrite a token well before it expires. */
const REREAD_MS = 60_000

/** A token in a file that is rotated: read again every minute, and when the server refuses it. */
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
