import type { OrganizationView } from '../../lib/api/contract.ts'
import { useWholeList } from '../../lib/api/queries.ts'

/** The organizations that the caller sees, and whether these are all of them. */
export function useOrganizations() {
  const query = useWholeList<OrganizationView>('organizations', '/organizations')
  return { query, organizations: query.data?.items, isComplete: query.data?.isComplete ?? false }
}
