import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { useApi } from './context.tsx'
import type { DecisionDetail, Me, Page, StatusView } from './contract.ts'
import { statusOf } from './problem.ts'

/** The safety net under the live line: even if every change got lost, nothing on the screen is older than this. */
const REFRESH_MS = 15_000

/** Reads one thing. `topic` is the stream's word for what it is about, which keeps it live. */
export function useResource<T>(
  topic: string,
  path: string,
  options: { readonly enabled?: boolean } = {},
): UseQueryResult<T> {
  const api = useApi()
  return useQuery<T>({
    queryKey: [topic, path],
    queryFn: ({ signal }) => api.get<T>(path, { signal }),
    refetchInterval: REFRESH_MS,
    ...options,
  })
}

/** What the API itself is to leave out, by the names of its query. */
export type ListFilter = Readonly<Record<string, string | undefined>>

interface ListOptions {
  readonly filter?: ListFilter
  /** How many a page has. */
  readonly limit?: number
}

/** Reads a list page by page, growing when `fetchNextPage` is called. */
export function useResourcePages<T>(topic: string, path: string, { filter = {}, limit = 100 }: ListOptions = {}) {
  const api = useApi()
  return useInfiniteQuery({
    queryKey: [topic, path, 'pages', filter, limit],
    queryFn: ({ signal, pageParam }) =>
      api.get<Page<T>>(path, { signal, query: { ...filter, limit, cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    refetchInterval: REFRESH_MS,
  })
}

export const useStatus = (): UseQueryResult<StatusView> => useResource<StatusView>('status', '/status')

/** A recorded decision changes only in its repeats, so it needs no topic that wakes it. */
export const useDecision = (id: string): UseQueryResult<DecisionDetail> =>
  useResource<DecisionDetail>('decision', `/decisions/${encodeURIComponent(id)}`)

export const ME_KEY = ['me'] as const

/** The signed-in user; null without a session. */
export function useMe(): UseQueryResult<Me | null> {
  const api = useApi()
  return useQuery<Me | null>({
    queryKey: ME_KEY,
    queryFn: ({ signal }) =>
      api.get<Me>('/me', { signal }).catch((error: unknown) => {
        if (statusOf(error) === 401) return null
        throw error
      }),
    staleTime: 60_000,
  })
}
