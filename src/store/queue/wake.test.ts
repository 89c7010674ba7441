import { expect, test } from 'vitest'
import { mergeCalls } from './wake.ts'

const key = { kind: 'Thing', id: 'a' }

test('wakes of one key become one: the earlier time, the stronger reason, the tenant that was named', () => {
  const calls = [
    { key, wake: { reason: 'drift' as const, afterMs: 500 } },
    { key, wake: { reason: 'changed' as const, afterMs: 900, tenant: 't' } },
    { key, wake: { reason: 'retry' as const, afterMs: 700 } },
  ]
  expect(mergeCalls(calls)).toEqual([{ key, wake: { reason: 'changed', afterMs: 500, tenant: 't' } }])
})
