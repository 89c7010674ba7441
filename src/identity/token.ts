import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Principal, Role, StoredToken } from './types.ts'

export const TOKEN_MARK = 'cael_'
const PREFIX_LENGTH = TOKEN_MARK.length + 6

export interface TokenSecret {
  /** Shown once to its owner and stored nowhere. */
  readonly secret: string
  readonly hash: Buffer
  readonly prefix: string
}

/** 32 random bytes cannot be guessed, so a plain hash is enough and a slow one is not needed. */
export function newTokenSecret(mark = TOKEN_MARK): TokenSecret {
  const secret = `${mark}${randomBytes(32).toString('base64url')}`
  return { secret, hash: hashOf(secret), prefix: secret.slice(0, PREFIX_LENGTH) }
}

export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** Whether a token found by its hash is valid now. Compares the hash again, in constant time. */
export function isGood(token: StoredToken, hash: Buffer, now: number): boolean {
  if (token.hash.length !== hash.length || !timingSafeEqual(token.hash, hash)) return false
  if (token.revokedAt !== null) return false
  return token.expiresAt === null || token.expiresAt.getTime() > now
}

/** A token never grants more than its owner has: an admin token of a former admin has the role member. */
export const effectiveRole = (token: StoredToken, user: Principal): Role =>
  token.role === 'admin' && user.role === 'admin' ? 'admin' : 'member'
