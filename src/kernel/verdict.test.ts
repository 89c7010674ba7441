import { expect, test } from 'vitest'
import { notLeading } from './leader.ts'
import { verdictOnError } from './verdict.ts'

test('a run that was refused because this process does not lead costs no attempt, however often', () => {
  const backoff = { baseMs: 1_000, capMs: 300_000, maxAttempts: 3 }
  expect(verdictOnError({ attempt: 9 }, notLeading('the leader is b'), backoff, () => 0.5)).toEqual({
    then: 'again',
    afterMs: 2_000,
    because: 'the leader is b',
  })
})
