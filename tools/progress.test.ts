import { expect, test } from 'vitest'
import { progressLine } from './progress.ts'

test('a counted step says which of how many', () => {
  const step = { what: 'building etcd 3.6.6', nth: 1, of: 5, elapsedMs: 14_200, detail: '3 packages compiled' }
  expect(progressLine(step)).toBe('building etcd 3.6.6 (1 of 5, 14 s): 3 packages compiled')
})

test('a step on its own says how long it takes', () => {
  expect(progressLine({ what: 'starting etcd', elapsedMs: 0 })).toBe('starting etcd (0 s)')
})
