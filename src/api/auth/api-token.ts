import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Role } from '../contract/index.ts'
import type { User } from './identity.ts'

export const TOKEN_MARK = 'cael_'
const PREFIX_LENGTH = TOKEN_MARK.length + 6

export interface TokenSecret {
  /** Shown once to its owner, kept nowhere. */
  readonly secret: string
  readonly hash: Buffer
  readonly prefix: string
}

/** 32 random bytes: nothing to guess, so a plain hash is enough and no slow one is needed. */
export function newTokenSecret(): TokenSecret {
  const secret = `${TOKEN_MARK}${randomBytes(32).toString('base64url')}`
  return { secret, hash: hashOf(secret), prefix: secret.slice(0, PREFIX_LENGTH) }
}

export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

export interface StoredToken {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly hash: Buffer
  readonly role: Role
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

export interface TokenDraft {
  readonly userId: string
  readonly name: string
  readonly role: Role
  readonly prefix: string
  readonly hash: Buffer
  readonly expiresAt: Date | null
}

export interface ApiTokens {
  add(draft: TokenDraft): Promise<StoredToken>
  findByHash(hash: Buffer): Promise<{ readonly token: StoredToken; readonly user: User } | undefined>
  /** Those of one user that are not revoked, newest first, after the token with this sort key. */
  list(userId: string, limit: number, after: readonly string[] | undefined): Promise<StoredToken[]>
  /** False: the user has no such token, or it was revoked before. */
  revoke(userId: string, id: string): Promise<boolean>
  markUsed(id: string): Promise<void>
}

/** Whether a token found by its hash is good now. Compares again, in constant time, what the index already found. */
export function isGood(token: StoredToken, hash: Buffer, now: number): boolean {
  if (token.hash.length !== hash.length || !timingSafeEqual(token.hash, hash)) return false
  if (token.revokedAt !== null) return false
  return token.expiresAt === null || token.expiresAt.getTime() > now
}

/** A token never does more than its owner may: who is no admin any more has no admin tokens. */
export const effectiveRole = (token: StoredToken, user: User): Role =>
  token.role === 'admin' && user.role === 'admin' ? 'admin' : 'member'
