import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { useApi } from '../../lib/api/context.tsx'
import type { LandscapeView } from '../../lib/api/contract.ts'
import { api as paths } from './paths.ts'

/** A CloudProfile changes rarely. */
const FRESH_MS = 60_000

/** What can be ordered, and what the limits of the organization allow of it; empty: of no organization. */
export function useLandscape(organizationId: string): UseQueryResult<LandscapeView> {
  const api = useApi()
  return useQuery<LandscapeView>({
    queryKey: ['landscape', organizationId],
    queryFn: ({ signal }) =>
      api.get(paths.regions, {
        signal,
        query: { organization_id: organizationId === '' ? undefined : organizationId },
      }),
    staleTime: FRESH_MS,
    // A form stays while another organization is chosen.
    placeholderData: keepPreviousData,
  })
}
