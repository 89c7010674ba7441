import { expect, test } from 'vitest'
import type { Runner } from '../pool.ts'
import { claimKeys } from './claim.ts'

const row = (id: string, priority: number, turn: string, due: number) => ({
  at: '(0,1)',
  kind: 'Thing',
  id,
  tenant: id,
  reason: 'changed',
  attempt: 0,
  fence: '1',
  lapses: 0,
  priority,
  turn,
  due,
  seen: null,
})

test('claims are in the order of the line, whatever order the statement returns its rows in', async () => {
  const rows = [row('d', 1, '1', 1), row('c', 0, '10', 2), row('b', 0, '9', 5.000_002), row('a', 0, '9', 5.000_001)]
  const on = { query: async () => rows } as unknown as Runner
  const call = { queue: 'q', worker: 'w', limit: 9, leaseMs: 1, share: undefined, anyway: false, isCrowded: false }
  const { claims } = await claimKeys(on, call)
  expect(claims.map(({ key }) => key.id)).toEqual(['a', 'b', 'c', 'd'])
})
