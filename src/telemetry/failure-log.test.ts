import { expect, test } from 'vitest'
import { manualClock } from '../kernel/index.ts'
import { failureLog } from './failure-log.ts'

function recorded() {
  const clock = manualClock()
  const lines: [string, object, string][] = []
  const write = (level: string) => (facts: object, message: string) => void lines.push([level, facts, message])
  const log = failureLog({ warn: write('warn'), info: write('info') } as never, clock)
  return { clock, lines, log }
}

const refused = new Error('connection refused')

test('a failure that repeats is logged once, then once a minute with the number of those left out', async () => {
  const { clock, lines, log } = recorded()
  for (let second = 0; second <= 60; second += 20) {
    log.failed('Watch failed', refused, { resource: 'pods' }, { failures: second })
    await clock.advance(20_000)
  }
  expect(lines).toEqual([
    ['warn', { resource: 'pods', failures: 0, failure: 'connection refused' }, 'Watch failed'],
    ['warn', { resource: 'pods', failures: 60, failure: 'connection refused', suppressed: 2 }, 'Watch failed'],
  ])
})

test('another error of the same thing, and the same error of another thing, are logged', async () => {
  const { clock, lines, log } = recorded()
  log.failed('Watch failed', refused, { resource: 'pods' })
  log.failed('Watch failed', refused, { resource: 'jobs' })
  await clock.advance(5_000)
  log.failed('Watch failed', new Error('forbidden'), { resource: 'pods' })
  expect(lines.map(([, facts]) => facts)).toEqual([
    { resource: 'pods', failure: 'connection refused' },
    { resource: 'jobs', failure: 'connection refused' },
    { resource: 'pods', failure: 'forbidden' },
  ])
})

test('a recovery is logged once and only after a failure; the last failure is the newest that remains', () => {
  const { lines, log } = recorded()
  log.recovered('Watch failed', { resource: 'pods' })
  log.failed('Watch failed', refused, { resource: 'pods' })
  log.failed('Fence policy not installed', new Error('forbidden'))
  expect(log.last()).toBe('forbidden')
  log.failed('Watch failed', refused, { resource: 'pods' })
  expect(log.last()).toBe('connection refused')
  log.recovered('Fence policy not installed')
  expect(log.last()).toBe('connection refused')
  log.recovered('Watch failed', { resource: 'pods' })
  log.recovered('Watch failed', { resource: 'pods' })
  expect(log.last()).toBeUndefined()
  expect(lines.filter(([level]) => level === 'info')).toEqual([
    ['info', { from: 'Fence policy not installed' }, 'Recovered'],
    ['info', { resource: 'pods', from: 'Watch failed' }, 'Recovered'],
  ])
})
