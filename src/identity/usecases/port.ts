import type { Actor, Listed, PageOptions, Pool, Precondition } from '../../store/index.ts'
import type { OrganizationFilter, UserFilter } from '../store/index.ts'
import type { Invitation, Member, Organization, OrganizationRole, User } from '../types.ts'
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

export interface OrganizationInput {
  readonly name: string
}

export interface MemberInput {
  readonly email: string
  readonly role: OrganizationRole
}

export interface InvitationInput extends MemberInput {
  readonly expiresAt: number
}

export interface IdentityUseCases {
  /** Newest first. A member sees themselves only. */
  listUsers(actor: Actor, filter: UserFilter): Promise<Listed<ListedUser>>
  getUser(actor: Actor, id: string): Promise<ListedUser>
  createUser(actor: Actor, input: UserInput): Promise<ListedUser>
  updateUser(actor: Actor, id: string, input: Partial<UserInput>, precondition?: Precondition): Promise<ListedUser>
  /** Refused while a domain holds objects of the user, or an organization would lose its last owner. */
  deleteUser(actor: Actor, id: string, precondition?: Precondition): Promise<void>

  /** The ids of the tenants that the caller acts for: themselves and the organizations they belong to. */
  listTenants(actor: Actor): Promise<readonly string[]>
  /** Newest first. Those that the caller belongs to; all for an admin. */
  listOrganizations(actor: Actor, filter: OrganizationFilter): Promise<Listed<Organization>>
  getOrganization(actor: Actor, id: string): Promise<Organization>
  /** The caller becomes its owner. */
  createOrganization(actor: Actor, input: OrganizationInput): Promise<Organization>
  updateOrganization(
    actor: Actor,
    id: string,
    input: Partial<OrganizationInput>,
    precondition?: Precondition,
  ): Promise<Organization>
  /** Refused while a domain holds objects of the organization. */
  deleteOrganization(actor: Actor, id: string, precondition?: Precondition): Promise<void>

  /** Newest first. */
  listMembers(actor: Actor, organizationId: string, page: PageOptions): Promise<Listed<Member>>
  /** Adds an existing user without an invitation; admins only. */
  addMember(actor: Actor, organizationId: string, input: MemberInput): Promise<Member>
  updateMember(
    actor: Actor,
    organizationId: string,
    userId: string,
    role: OrganizationRole,
    precondition?: Precondition,
  ): Promise<Member>
  removeMember(actor: Actor, organizationId: string, userId: string): Promise<void>

  /** Open ones, newest first; for owners. */
  listInvitations(actor: Actor, organizationId: string, page: PageOptions): Promise<Listed<Invitation>>
  /** Replaces an open invitation of the same email. The secret is returned this once. */
  invite(
    actor: Actor,
    organizationId: string,
    input: InvitationInput,
  ): Promise<Invitation & { readonly secret: string }>
  revokeInvitation(actor: Actor, organizationId: string, id: string): Promise<void>
  /** By the secret of the invitation, for the user with the invited email. Their next login accepts it as well. */
  acceptInvitation(actor: Actor, token: string): Promise<Organization>
}
