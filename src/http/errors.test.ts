import { expect, test } from 'vitest'
import { defineFailures } from '../kernel/index.ts'
import { failureOfError, failureOfStatus, HttpError, problemOf, problemOfStatus } from './errors.ts'

const kind = { whoseMove: 'platform', retryable: true, nextStep: 'Wait.' } as const
const raise = defineFailures({ TestAway: kind, TestHuge: { ...kind, whoseMove: 'operator' }, TestLocked: kind })
const failures = { unreachable: raise.TestAway, tooLarge: raise.TestHuge, forbidden: raise.TestLocked }

test.each([
  [200, undefined],
  [204, undefined],
  [302, 'redirected'],
  [400, 'refused'],
  [401, 'forbidden'],
  [403, 'forbidden'],
  [404, 'missing'],
  [410, 'missing'],
  [429, 'busy'],
  [500, 'refused'],
  [503, 'busy'],
])('status %d', (status, problem) => {
  expect(problemOfStatus(status)).toBe(problem)
})

test('an error without a problem of its own means that there was no answer', () => {
  expect(problemOf(new Error('connect ECONNREFUSED'))).toBe('unreachable')
  expect(problemOf(new HttpError('tooLarge', 'x'))).toBe('tooLarge')
})

test('a failure has the code of its problem, the text of all causes, and who has to act', () => {
  const error = new HttpError('tooLarge', 'the answer has more than 5 bytes')
  expect(failureOfError(failures, 'read x', error).failure).toMatchObject({
    code: 'TestHuge',
    whoseMove: 'operator',
    message: 'failed to read x: the answer has more than 5 bytes',
  })
  const broken = new Error('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') })
  expect(failureOfError(failures, 'read x', broken).failure).toMatchObject({
    code: 'TestAway',
    message: 'failed to read x: fetch failed: connect ECONNREFUSED 127.0.0.1:1',
  })
})

test('a problem without a code of its own is a case of unreachable', () => {
  expect(failureOfError(failures, 'read x', new HttpError('timedOut', 'y')).failure.code).toBe('TestAway')
})

test('a failure that a check of the caller threw stays as it is', () => {
  const own = raise.TestLocked('not there')
  expect(failureOfError(failures, 'read x', own)).toBe(own)
})

test('a status brings its failure and the pause that the server asked for', () => {
  expect(failureOfStatus(failures, 'read x', { status: 403 }).failure).toMatchObject({
    code: 'TestLocked',
    message: 'failed to read x: the server answered 403',
  })
  expect(failureOfStatus(failures, 'read x', { status: 429, retryAfterMs: 7_000 })).toMatchObject({
    failure: { code: 'TestAway' },
    retryAfterMs: 7_000,
  })
})
