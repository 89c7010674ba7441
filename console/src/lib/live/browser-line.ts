import type { QueryClient } from '@tanstack/react-query'
import { line } from './line.ts'
import type { Line } from './line.ts'
import { invalidator, staleTopics } from './topics.ts'

/** The line of this browser tab, feeding the query cache. */
export function browserLine(queries: QueryClient, onRefused: () => void): Line {
  const stale = invalidator(queries)
  const live = line({
    url: '/api/v1/events/stream',
    fetch: (...args) => fetch(...args),
    now: Date.now,
    everySecond: (fn) => {
      const timer = setInterval(fn, 1_000)
      return () => clearInterval(timer)
    },
    onOpen: () => void queries.invalidateQueries(),
    onEvent: (event) => stale(staleTopics(event)),
    onRefused,
  })
  addEventListener('online', () => live.networkChanged(true))
  addEventListener('offline', () => live.networkChanged(false))
  return live
}
