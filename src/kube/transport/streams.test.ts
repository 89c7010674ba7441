import { expect, test } from 'vitest'
import { manualClock } from '../../kernel/index.ts'
import { OpenStreams, requireStreams } from './streams.ts'

test('a stream too many is refused with the numbers, until another one is closed', () => {
  const streams = new OpenStreams(manualClock(), 2)
  const first = streams.enter('watch a', () => {})
  streams.enter('watch b', () => {})
  expect(() => streams.enter('watch c', () => {})).toThrow('failed to watch c: 2 watches are open, and 2 are allowed')
  first[Symbol.dispose]()
  streams.enter('watch c', () => {})
  expect(() => streams.enter('watch d', () => {})).toThrow('failed to watch d')
})

test('a need for more streams than allowed is refused with the remedy', () => {
  const transport = { send: () => Promise.reject(new Error('not expected')), stream: () => [] as never }
  requireStreams(transport, 1_000_000, 'Watch less.')
  requireStreams({ ...transport, maxStreams: 3 }, 3, 'Watch less.')
  expect(() => requireStreams({ ...transport, maxStreams: 3 }, 4, 'Watch less.')).toThrow(
    'failed to start: 4 watches are needed, and 3 are allowed for one process. Watch less.',
  )
})
