import { QueryClient } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { invalidator, staleTopics } from './topics.ts'

const change = (data: string) => staleTopics({ id: '1', event: 'change', data })

test('a change makes its topic, the timeline and the status stale', () => {
  expect(change('{"topic":"apps"}')).toEqual(['apps', 'events', 'status'])
  expect(change('{"topic":"events"}')).toEqual(['events'])
  expect(change('not json')).toEqual(['events'])
  expect(staleTopics({ id: undefined, event: 'heartbeat', data: '{}' })).toEqual([])
})

test('many changes of one moment invalidate once, and only what they touch; the last one is not left out', () => {
  vi.useFakeTimers()
  const queries = new QueryClient()
  queries.setQueryData(['apps', 'list'], 1)
  queries.setQueryData(['edge'], 1)
  const stale = invalidator(queries)
  const count = vi.spyOn(queries, 'invalidateQueries')

  for (let i = 0; i < 100; i++) stale(['apps', 'events'])
  vi.advanceTimersByTime(100)
  expect(count).toHaveBeenCalledTimes(1)
  for (let i = 0; i < 100; i++) stale(['apps', 'events'])
  vi.advanceTimersByTime(999)
  expect(count).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1)
  expect(count).toHaveBeenCalledTimes(2)

  expect(queries.getQueryState(['apps', 'list'])?.isInvalidated).toBe(true)
  expect(queries.getQueryState(['edge'])?.isInvalidated).toBe(false)
  vi.useRealTimers()
})
