import type { Me, Role } from '../contract/index.ts'

/** Who makes a request, and how that was proved. */
export interface Identity {
  readonly userId: string
  readonly email: string
  readonly role: Role
  readonly auth: Me['auth']
  /** Came with the browser by itself: another site may have caused the request. */
  readonly byCookie: boolean
}

/** What a route asks of its caller. Every route has one; forgetting it stops the server from starting. */
export const ACCESS = ['public', 'member', 'admin'] as const
export type Access = (typeof ACCESS)[number]

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Repeating the request with the same Idempotency-Key answers the same and does nothing. */
    idempotent?: boolean
  }
  interface FastifyRequest {
    /** Undefined only on public routes. */
    identity: Identity | undefined
  }
}

export interface User {
  readonly id: string
  readonly email: string
  readonly role: Role
  /** Sessions that began before are void: the user logged out. */
  readonly sessionsFrom: Date
}

export interface Profile {
  /** Unique and stable: the issuer and its name for the user. */
  readonly subject: string
  readonly email: string
  /** Undefined: the login says nothing about it, so that it stays as the database has it. */
  readonly role: Role | undefined
}

export interface Users {
  /** Creates the user of this subject, or updates its email and role. Undefined: the email belongs to another user. */
  signIn(profile: Profile): Promise<User | undefined>
  get(id: string): Promise<User | undefined>
  /** Voids all sessions of the user that began until now. */
  signOut(id: string, now: number): Promise<void>
}
