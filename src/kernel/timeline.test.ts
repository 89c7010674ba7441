import { expect, test } from 'vitest'
import { mergeTimeline, timelineEntry } from './timeline.ts'

const entry = (at: number, what: string) => timelineEntry({ at, source: 'audit', what, message: what })

test('timelines are merged newest first, in the order of their sources within one moment, up to the limit', () => {
  const merged = mergeTimeline(3, [entry(5, 'a'), entry(1, 'b')], [entry(5, 'c'), entry(3, 'd')])
  expect(merged.map(({ what }) => what)).toEqual(['a', 'c', 'd'])
  expect(merged[0]).toMatchObject({ actor: null, object: null, count: 1, tone: 'info' })
})
