import { expect, it } from 'vitest'
import { noticesOf } from './notices.ts'
import type { Done } from '../types.ts'

const child = { kind: 'Service', name: 'cart--add', component: 'function', object: {}, handed: [] } as const
const applied = { action: { do: 'apply', child, force: false } } as unknown as Done
const progressing = { phase: 'progressing', reason: 'Waiting', message: 'waiting' } as Parameters<typeof noticesOf>[1]

it('tells of children that were applied again, and not of those of a new runtime', () => {
  expect(noticesOf({}, progressing, [applied], 0)).toEqual([])
  expect(noticesOf({ phase: 'progressing', observed_generation: 1 }, progressing, [applied], 0)).toMatchObject([
    { type: 'Normal', reason: 'Applied', note: 'applied Service/cart--add' },
  ])
})
