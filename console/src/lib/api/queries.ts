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

/** As many as the API puts on one page. */
const PAGE_LIMIT = 200
/** A choice among more than 2000 is no choice, and each refresh reads all pages. */
const MOST_PAGES = 10

interface WholeList<T> {
  readonly items: readonly T[]
  /** False: there are more than are read at once. */
  readonly isComplete: boolean
}

/** Reads all pages of a list, as one answer. */
export function useWholeList<T>(topic: string, path: string): UseQueryResult<WholeList<T>> {
  const api = useApi()
  return useQuery<WholeList<T>>({
    queryKey: [topic, path, 'whole'],
    queryFn: async ({ signal }) => {
      const items: T[] = []
      let cursor: string | undefined
      for (let page = 0; page < MOST_PAGES; page++) {
        const { items: more, next_cursor: next } = await api.get<Page<T>>(path, {
          signal,
          query: { limit: PAGE_LIMIT, cursor },
        })
        items.push(...more)
        if (next === null) return { items, isComplete: true }
        cursor = next
      }
      return { items, isComplete: false }
    },
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
