import { expect, test } from 'vitest'
import { failureOf } from '../kernel/index.ts'
import { classify } from './failures.ts'

const coded = (code: string | undefined, message = 'it went wrong'): Error =>
  Object.assign(new Error(message), { code })

test.each([
  ['DatabaseUnavailable', coded('ECONNREFUSED')],
  ['DatabaseUnavailable', coded(undefined, 'Connection terminated unexpectedly')],
  ['DatabaseUnavailable', coded(undefined, 'Query read timeout')],
  ['DatabaseUnavailable', coded('57P01', 'terminating connection due to administrator command')],
  ['DatabaseUnavailable', coded('57P03', 'the database system is starting up')],
  ['DatabaseUnavailable', coded('25006', 'cannot execute INSERT in a read-only transaction')],
  ['DatabaseBusy', coded(undefined, 'timeout exceeded when trying to connect')],
  ['DatabaseBusy', coded('53300', 'sorry, too many clients already')],
  ['DatabaseBusy', coded('55P03', 'canceling statement due to lock timeout')],
  ['DatabaseBusy', coded('57014', 'canceling statement due to statement timeout')],
  ['DatabaseConflict', coded('40001', 'could not serialize access')],
  ['DatabaseConflict', coded('40P01', 'deadlock detected')],
])('%s: %s', (code, error) => {
  expect(failureOf(classify(error))).toMatchObject({ code, retryable: true })
})

test('returns a violated constraint unchanged', () => {
  const error = coded('23505', 'duplicate key value violates unique constraint')
  expect(classify(error)).toBe(error)
})
