import { expect, test } from 'vitest'
import { manualClock, sleep } from './clock.ts'
import { holding } from './holding.ts'
import { notLeading } from './leader.ts'
import { verdictOnError } from './verdict.ts'

const backoff = { baseMs: 1_000, capMs: 300_000, maxAttempts: 3 }

test('a run that was refused because this process does not lead costs no attempt, however often', () => {
  expect(verdictOnError({ attempt: 9 }, notLeading('the leader is b'), backoff, () => 0.5)).toEqual({
    then: 'again',
    afterMs: 2_000,
    because: 'the leader is b',
  })
})

test('a run that lost the lock of its target costs no attempt', async () => {
  const clock = manualClock()
  const lock = { target: 't', fence: 1, renew: async () => false, release: async () => {} }
  const locks = { holderOf: async () => undefined, acquire: async () => ({ held: true as const, lock }) }
  const options = { locks, clock, holder: 'me', signal: new AbortController().signal }
  const lost = holding(options, ['t'], (signal) => sleep(clock, 1e9, signal)).catch((error: unknown) => error)
  await clock.advance(10_000)
  expect(verdictOnError({ attempt: 9 }, await lost, backoff, () => 0.5)).toEqual({
    then: 'again',
    afterMs: 2_000,
    because: 'the lock on t was lost: another acquisition has taken it',
  })
})
