import { EncryptJWT, jwtDecrypt } from 'jose'
import type { Me } from '../contract/index.ts'

/** Who is logged in, as the cookie says it. */
export interface Session {
  readonly userId: string
  readonly auth: Me['auth']
  readonly begunAt: number
}

/** What a login in progress must remember between leaving for the issuer and coming back. */
export interface LoginTrip {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly returnTo: string
}

export interface Sealer {
  readonly session: (session: Omit<Session, 'begunAt'>, now: number) => Promise<string>
  /** Undefined: not ours, altered or expired. */
  readonly openSession: (cookie: string, now: number) => Promise<Session | undefined>
  readonly trip: (trip: LoginTrip, now: number) => Promise<string>
  readonly openTrip: (cookie: string, now: number) => Promise<LoginTrip | undefined>
}

const TRIP_MS = 10 * 60_000
const CIPHER = { alg: 'dir', enc: 'A256GCM' } as const

/**
 * Cookies that only this installation can read or make (JWE). Nothing is kept on the server for them: a session ends
 * by its age, with the key, or when its user logs out (see `User.sessionsFrom`).
 */
export function sealer(key: Uint8Array, sessionLifetimeMs: number): Sealer {
  const seal = (audience: string, claims: Record<string, unknown>, now: number, lifetimeMs: number): Promise<string> =>
    new EncryptJWT(claims)
      .setProtectedHeader(CIPHER)
      .setAudience(audience)
      .setIssuedAt(new Date(now))
      .setExpirationTime(new Date(now + lifetimeMs))
      .encrypt(key)
  const open = async (audience: string, cookie: string, now: number): Promise<Record<string, unknown> | undefined> => {
    try {
      const options = {
        audience,
        currentDate: new Date(now),
        keyManagementAlgorithms: [CIPHER.alg],
        contentEncryptionAlgorithms: [CIPHER.enc],
      }
      return (await jwtDecrypt(cookie, key, options)).payload
    } catch {
      return undefined
    }
  }
  return {
    session: (session, now) => seal('session', { ...session, begunAt: now }, now, sessionLifetimeMs),
    openSession: async (cookie, now) => (await open('session', cookie, now)) as Session | undefined,
    trip: (trip, now) => seal('login', { ...trip }, now, TRIP_MS),
    openTrip: async (cookie, now) => (await open('login', cookie, now)) as LoginTrip | undefined,
  }
}
