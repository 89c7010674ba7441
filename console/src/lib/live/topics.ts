import type { QueryClient } from '@tanstack/react-query'
import type { StreamEvent } from './sse.ts'

/*
 * The first part of every query key is a topic, and a change on the stream names one. That is the whole wiring
 * between live changes and what is on the screen: a page that reads ['apps', …] is live without doing anything.
 */

/** Topics that are stale because of this event. Every change is also in the timeline, and in the counts of the status. */
export function staleTopics({ event, data }: StreamEvent): readonly string[] {
  if (event !== 'change') return []
  const topic = topicIn(data)
  return topic === undefined || topic === 'events' ? ['events'] : [topic, 'events', 'status']
}

function topicIn(data: string): string | undefined {
  try {
    const change: unknown = JSON.parse(data)
    const topic = typeof change === 'object' && change !== null && 'topic' in change ? change.topic : undefined
    return typeof topic === 'string' ? topic : undefined
  } catch {
    return undefined
  }
}

/** Soon enough to feel immediate, and late enough to catch the changes that come together. */
const FIRST_MS = 100

/**
 * Collects topics and invalidates them together: the first soon, those that follow at most once per `everyMs`.
 * A hundred changes in a second are two rounds of requests, and the last change is never left out.
 */
export function invalidator(queries: QueryClient, everyMs = 1_000): (topics: readonly string[]) => void {
  const stale = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = (): void => {
    timer = stale.size > 0 ? setTimeout(flush, everyMs) : undefined
    const now = new Set(stale)
    stale.clear()
    if (now.size > 0) void queries.invalidateQueries({ predicate: ({ queryKey }) => now.has(String(queryKey[0])) })
  }
  return (topics) => {
    for (const topic of topics) stale.add(topic)
    if (stale.size > 0) timer ??= setTimeout(flush, FIRST_MS)
  }
}
