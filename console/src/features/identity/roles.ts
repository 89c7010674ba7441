import type { OrganizationRole } from '../../lib/api/contract.ts'

/** What members may do, the strongest role first. */
export const ROLES: readonly { readonly role: OrganizationRole; readonly may: string }[] = [
  { role: 'owner', may: 'Renames and deletes the organization, invites, changes roles and removes members.' },
  { role: 'member', may: 'Uses what belongs to the organization.' },
  { role: 'viewer', may: 'Reads what belongs to the organization.' },
]
