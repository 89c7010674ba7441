import type { UseQueryResult } from '@tanstack/react-query'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import type { LandscapeView } from '../../lib/api/contract.ts'

/** Why it is not known what can be ordered; nothing where it is known. */
export const LandscapeProblem = ({ query }: { readonly query: UseQueryResult<LandscapeView> }) =>
  query.error !== null && (
    <ProblemView compact error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
  )
