import type { Role } from '../../identity/index.ts'
import type { Me } from '../contract/index.ts'

/** The caller of a request, and how it was authenticated. */
export interface Identity {
  readonly userId: string
  readonly email: string
  readonly role: Role
  readonly auth: Me['auth']
  /** The browser attached the session cookie: another site may have caused the request. */
  readonly byCookie: boolean
  /** When the API token of the request expires. Undefined: never, or no API token was sent. */
  readonly expiresAt?: Date
}

/** What a route requires of its caller. The server refuses to start if a route has none. */
export const ACCESS = ['public', 'member', 'admin'] as const
export type Access = (typeof ACCESS)[number]

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /**
     * A repeated request with the same Idempotency-Key gets the first response and changes nothing. False: it changes
     * nothing anyway, or its response has a secret, which is not stored. Every write must say which.
     */
    idempotent?: boolean
  }
  interface FastifyRequest {
    /** Undefined only on public routes. */
    identity: Identity | undefined
  }
}
