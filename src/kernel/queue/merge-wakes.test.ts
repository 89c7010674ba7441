import { expect, test } from 'vitest'
import { mergeWakes } from './merge-wakes.ts'
import type { Wake } from './queue.ts'

test('the earlier time and the stronger reason win; a wake without a delay stays without one', () => {
  expect(mergeWakes({ reason: 'changed', afterMs: 900 }, { reason: 'retry', afterMs: 500 })).toEqual({
    reason: 'changed',
    afterMs: 500,
  })
  expect(mergeWakes({ reason: 'drift' }, { reason: 'drift', afterMs: 900 })).toEqual({ reason: 'drift', afterMs: 0 })
})

const drift = (tenant?: string): Wake => ({ reason: 'drift', ...(tenant !== undefined && { tenant }) })
const changed = (tenant?: string): Wake => ({ reason: 'changed', ...(tenant !== undefined && { tenant }) })

test.each<[string, Wake, Wake, string | undefined]>([
  ['the first one named, without a user', drift('a'), drift('b'), 'a'],
  ['the only one named', drift(), drift('b'), 'b'],
  ['the only one that is not empty', drift(''), drift('b'), 'b'],
  ['the one of a user who came first', changed('a'), drift('b'), 'a'],
  ['the one of a user who came second', drift('a'), changed('b'), 'b'],
  ['the one of the last user', changed('a'), changed('b'), 'b'],
  ['the one that a user named', changed('a'), changed(), 'a'],
  ['none, if no user named one: the key may have another', drift('a'), changed(), undefined],
])('the tenant is %s', (_, first, second, tenant) => {
  expect(mergeWakes(first, second).tenant).toBe(tenant)
})
