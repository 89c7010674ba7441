import type { OrganizationView } from '../../lib/api/contract.ts'
import { useResourcePages } from '../../lib/api/queries.ts'

/** As many as one page of the API holds. */
const MOST = 200

/** The organizations that the caller sees, and whether these are all of them. */
export function useOrganizations() {
  const query = useResourcePages<OrganizationView>('organizations', '/organizations', { limit: MOST })
  return { query, organizations: query.data?.pages.flatMap(({ items }) => items), isComplete: !query.hasNextPage }
}
