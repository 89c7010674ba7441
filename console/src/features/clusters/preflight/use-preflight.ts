import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useApi } from '../../../lib/api/context.tsx'
import type { ClusterCreate, ClusterPatch, ClusterPreviewView } from '../../../lib/api/contract.ts'
import { fieldProblems, refusedFields } from './problems.ts'
import type { FieldProblems } from './problems.ts'

/** Long enough to finish a word. */
const TYPING_MS = 400

export interface Preflight {
  /** The last answer; of the edit before while a check is under way. */
  readonly preview: ClusterPreviewView | undefined
  readonly error: unknown
  readonly isChecking: boolean
  /** Whether the present edit was checked and would be accepted. */
  readonly isAccepted: boolean
  /** Whether the present edit was checked and would be refused. */
  readonly isRefused: boolean
  readonly problems: FieldProblems
  readonly again: () => void
}

/** Asks what saving would do, a moment after each edit. Undefined: nothing to ask yet. */
export function usePreflight(path: string, body: ClusterCreate | ClusterPatch | undefined): Preflight {
  const api = useApi()
  const now = body === undefined ? '' : JSON.stringify(body)
  const [asked] = useDebouncedValue(now, TYPING_MS)
  const query = useQuery<ClusterPreviewView>({
    queryKey: ['cluster-preview', path, asked],
    queryFn: ({ signal }) => api.post(`${path}:preview`, JSON.parse(asked), { signal }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  })
  const isOfNow = asked === now && now !== '' && !query.isPlaceholderData
  const preview = now === '' ? undefined : query.data
  const error = isOfNow ? query.error : null
  return {
    preview,
    error,
    isChecking: now !== '' && (!isOfNow || query.isFetching),
    isAccepted: isOfNow && error === null && query.data?.accepted === true,
    isRefused: isOfNow && (query.data?.accepted === false || refusedFields(error).size > 0),
    problems: new Map([...fieldProblems(preview?.problems ?? []), ...refusedFields(error)]),
    again: () => void query.refetch(),
  }
}
