import { expect, test } from 'vitest'
import { quantityOf, sameQuantity } from './quantity.ts'

test.for([
  ['1', 1],
  ['500m', 0.5],
  ['1024Mi', 2 ** 30],
  ['1.5Gi', 1.5 * 2 ** 30],
  ['1e3', 1000],
  ['2E', 2e18],
  ['100k', 100_000],
  ['-1', -1],
] as const)('%s is %d', ([text, value]) => {
  expect(quantityOf(text)).toBe(value)
})

test.for(['', 'lots', '1 Gi', '1gi', '1Kii', '.'])('%j is no quantity', (text) => {
  expect(quantityOf(text)).toBeUndefined()
})

test('the same amount is the same however it is written', () => {
  expect(sameQuantity('0.1', '100m')).toBe(true)
  expect(sameQuantity('1024Mi', '1Gi')).toBe(true)
  expect(sameQuantity('1Gi', '1G')).toBe(false)
  expect(sameQuantity('lots', 'lots')).toBe(false)
})
