import type { Listed, PageOptions } from '../store/index.ts'

/*
 * Terms used in this folder
 *
 * - user:      a person or program that can log in
 * - principal: a user as a login or token proves it, before row level security knows a caller
 * - tenant:    what objects belong to and queues are fair between: a user or an organization, by its id
 */

export const ROLES = ['admin', 'member'] as const
export type Role = (typeof ROLES)[number]

/** Times are milliseconds since the epoch; `null` is what the column holds when there is nothing. */
export interface User {
  readonly id: string
  readonly email: string
  readonly isAdmin: boolean
  /** Incremented by every change of email or role. */
  readonly generation: number
  readonly createdAt: number
  readonly deletedAt: number | null
}

export interface Principal {
  readonly id: string
  readonly email: string
  readonly role: Role
  /** Sessions that began earlier are void: the user logged out. */
  readonly sessionsFrom: Date
}

export interface Profile {
  /** Unique and stable: the issuer and its name for the user. */
  readonly subject: string
  /** The email, or the name of a program. Undefined: unknown, so that only a known user may log in. */
  readonly email: string | undefined
  /**
   * Whether the issuer verified that the email belongs to the user. Only then the login takes over a user whom an
   * admin created with it, accepts invitations, and changes the email of a known user.
   */
  readonly isVerified: boolean
  /** Undefined: the login does not carry a role, and the stored one is kept. */
  readonly role: Role | undefined
}

export interface Logins {
  /**
   * Creates the user of this subject, or updates its verified email and its role. Undefined: the email belongs to
   * another user, or the user is new and has no email.
   */
  signIn(profile: Profile): Promise<Principal | undefined>
  get(id: string): Promise<Principal | undefined>
  /** Voids all sessions of the user that began until now. */
  signOut(id: string, now: number): Promise<void>
}

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
  findByHash(hash: Buffer): Promise<{ readonly token: StoredToken; readonly user: Principal } | undefined>
  /** Tokens of one user that are not revoked, newest first. */
  list(userId: string, page: PageOptions): Promise<Listed<StoredToken>>
  /** False: the user has no such token, or it was revoked before. */
  revoke(userId: string, id: string): Promise<boolean>
  markUsed(id: string): Promise<void>
}

/** What a member of an organization may do, strongest first. */
export const ORGANIZATION_ROLES = ['owner', 'member', 'viewer'] as const
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number]

export interface Organization {
  readonly id: string
  readonly name: string
  /** Number of members. */
  readonly members: number
  /** The role of the caller; null: an admin who is no member. */
  readonly role: OrganizationRole | null
  /** Incremented by every change of the name. */
  readonly generation: number
  readonly createdAt: number
}

export interface Member {
  readonly userId: string
  readonly email: string
  readonly role: OrganizationRole
  /** Incremented by every change of the role. */
  readonly generation: number
  readonly createdAt: number
}

/** One that is neither accepted nor revoked; it may have expired. */
export interface Invitation {
  readonly id: string
  readonly email: string
  readonly role: OrganizationRole
  readonly createdAt: number
  readonly expiresAt: number
}
