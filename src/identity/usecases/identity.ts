import type { Actor } from '../../store/index.ts'
import { acceptInvitation, invite, listInvitations, revokeInvitation } from './invitations.ts'
import { addMember, listMembers, removeMember, updateMember } from './members.ts'
import {
  createOrganization,
  deleteOrganization,
  getOrganization,
  listOrganizations,
  listTenants,
  updateOrganization,
} from './organizations.ts'
import type { IdentityDeps, IdentityUseCases } from './port.ts'
import { createUser, deleteUser, getUser, listUsers, updateUser } from './users.ts'

const USE_CASES = {
  createUser,
  deleteUser,
  getUser,
  listUsers,
  updateUser,
  createOrganization,
  deleteOrganization,
  getOrganization,
  listOrganizations,
  listTenants,
  updateOrganization,
  addMember,
  listMembers,
  removeMember,
  updateMember,
  acceptInvitation,
  invite,
  listInvitations,
  revokeInvitation,
} satisfies {
  readonly [Verb in keyof IdentityUseCases]: (
    deps: IdentityDeps,
    ...rest: Parameters<IdentityUseCases[Verb]>
  ) => ReturnType<IdentityUseCases[Verb]>
}

type UseCase = (deps: IdentityDeps, actor: Actor, ...rest: never[]) => unknown

export const openIdentity = (deps: IdentityDeps): IdentityUseCases =>
  Object.fromEntries(
    Object.entries(USE_CASES).map(([name, run]) => [
      name,
      (actor: Actor, ...rest: never[]) => (run as UseCase)(deps, actor, ...rest),
    ]),
  ) as unknown as IdentityUseCases
