import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { sameValue } from '../../kernel/index.ts'
import { mergePatch } from '../../kube/fake/patch.ts'
import { changesOf } from './record.ts'

test('only what is new is written, and what is gone is taken away', () => {
  const before = {
    phase: 'available',
    message: 'm',
    nfr_state: { 'replicas/a': { target: 1 }, 'cpu/a': { target: 2 } },
  }
  const after = { phase: 'degraded', message: 'm', nfr_state: { 'replicas/a': { target: 3 } } }
  expect(changesOf(before, after)).toEqual({
    phase: 'degraded',
    nfr_state: { 'replicas/a': { target: 3 }, 'cpu/a': null },
  })
})

const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, fc.integer(), fc.string(), fc.array(tie('any'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any'), { maxKeys: 3 }),
}))

test('the changes lead from any status to any other', () => {
  const status = value.object
  fc.assert(
    fc.property(status, status, (before, after) => {
      const patched = mergePatch(before, changesOf(before, after))
      expect(sameValue(patched, after)).toBe(true)
    }),
  )
})
