import type { Actor, Listed, Pool } from '../../store/index.ts'
import type { UserFilter } from '../store/index.ts'
import type { User } from '../types.ts'
import type { TenantUsage, TotalUsage } from '../usage.ts'

/*
 * The use cases of identity. REST and CLI parse, call and print.
 *
 * What an actor may not see is `NotFound`; what they see and may not do is `NotAllowed` or a failure of
 * `failures.ts`. `RefusedFields` lists all invalid fields at once.
 */

export interface IdentityDeps {
  /** As the role caelus_api. */
  readonly pool: Pool
  /** What the domains hold for tenants. */
  readonly usage: readonly TenantUsage[]
}

export interface UserInput {
  readonly email: string
  readonly isAdmin?: boolean | undefined
}

export interface ListedUser extends User {
  readonly usage: TotalUsage
}

export interface IdentityUseCases {
  /** Newest first. A member sees themselves only. */
  listUsers(actor: Actor, filter: UserFilter): Promise<Listed<ListedUser>>
  getUser(actor: Actor, id: string): Promise<ListedUser>
  createUser(actor: Actor, input: UserInput): Promise<ListedUser>
  updateUser(actor: Actor, id: string, input: Partial<UserInput>): Promise<ListedUser>
  /** Refused while a domain holds objects of the user. */
  deleteUser(actor: Actor, id: string): Promise<void>
}
