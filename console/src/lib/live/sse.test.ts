import { expect, test } from 'vitest'
import { sseParser } from './sse.ts'

const STREAM =
  ': hello\n\nid: 7\nevent: change\ndata: {"topic":"apps"}\n\nevent: heartbeat\r\ndata: {}\r\n\r\ndata: two\ndata:lines\n\n'
const EVENTS = [
  { id: '7', event: 'change', data: '{"topic":"apps"}' },
  { id: '7', event: 'heartbeat', data: '{}' },
  { id: '7', event: 'message', data: 'two\nlines' },
]

test('reads events, remembers the id, ignores comments', () => {
  expect(sseParser().push(STREAM)).toEqual(EVENTS)
})

test('reads the same events wherever the network cuts the text', () => {
  for (let size = 1; size <= STREAM.length; size++) {
    const parser = sseParser()
    const events = []
    for (let at = 0; at < STREAM.length; at += size) events.push(...parser.push(STREAM.slice(at, at + size)))
    expect(events, `pieces of ${size}`).toEqual(EVENTS)
  }
})

test('an unfinished event is kept back', () => {
  const parser = sseParser()
  expect(parser.push('data: a\n')).toEqual([])
  expect(parser.push('\n')).toEqual([{ id: undefined, event: 'message', data: 'a' }])
})
