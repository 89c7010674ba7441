import { Skeleton, Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ProblemView } from './ProblemView.tsx'

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>
  readonly children: (data: T) => ReactNode
  /** Shown while nothing is known yet. */
  readonly skeleton?: ReactNode
}

/**
 * Draws what a query brought. Without data: a skeleton, or the problem with a way to try again.
 * With data that could not be refreshed: both, because old truth with a warning beats an empty page.
 */
export function Loaded<T>({ query, children, skeleton = <LinesSkeleton /> }: LoadedProps<T>) {
  const retry = () => void query.refetch()
  if (query.data === undefined) {
    if (query.error) return <ProblemView error={query.error} onRetry={retry} retrying={query.isFetching} />
    return (
      <div role="status" aria-label="Loading">
        {skeleton}
      </div>
    )
  }
  if (!query.error) return children(query.data)
  return (
    <Stack gap="md">
      <ProblemView compact error={query.error} onRetry={retry} retrying={query.isFetching} />
      {children(query.data)}
    </Stack>
  )
}

export function LinesSkeleton({ lines = 5 }: { readonly lines?: number }) {
  return (
    <Stack gap="sm">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={22} width={line === 0 ? '40%' : `${92 - line * 7}%`} />
      ))}
    </Stack>
  )
}
