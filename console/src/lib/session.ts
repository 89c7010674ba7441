import type { QueryClient } from '@tanstack/react-query'
import type { Me } from './api/contract.ts'
import { ME_KEY } from './api/queries.ts'
import { forgetOrganizationChoice } from './organization-choice.ts'

/** The session has ended: what the last user could see must not stay in memory. */
export function endSession(queries: QueryClient): void {
  if (queries.getQueryData(ME_KEY) === null) return
  forgetOrganizationChoice()
  void queries.cancelQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME_KEY[0] })
  queries.setQueryData<Me | null>(ME_KEY, null)
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME_KEY[0] })
}

export const beginSession = (queries: QueryClient, me: Me): void => void queries.setQueryData<Me | null>(ME_KEY, me)
