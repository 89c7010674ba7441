import type { OrganizationView } from './api/contract.ts'

/** Whether the caller may change what belongs to an organization. Viewers only read; admins may do everything. */
export const mayChange = ({ role }: Pick<OrganizationView, 'role'>, isAdmin: boolean): boolean =>
  isAdmin || role === 'owner' || role === 'member'

/** The organization that is chosen; undefined: all, or one that the caller does not see. */
export const chosenOf = (organizations: readonly OrganizationView[], id: string): OrganizationView | undefined =>
  organizations.find((organization) => organization.id === id)
