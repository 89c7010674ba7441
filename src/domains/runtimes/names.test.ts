import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { functionLabel, functionName, monitorName, odgmName, odgmServiceName, ownerLabel } from './names.ts'

const DNS_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const LABEL_VALUE = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/

/** What the API server takes as the name of a ClassRuntime. */
const className = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?){0,9}$/)
const functionKey = fc.oneof(fc.string({ minLength: 1, maxLength: 512 }), fc.stringMatching(/^[a-z][a-z0-9-]{0,40}$/))

/** Everything that one class may put into its namespace. */
const allNames = (name: string, keys: readonly string[]): string[] => [
  ...new Set(keys.map((key) => functionName(name, key))),
  odgmName(name),
  odgmServiceName(name),
  monitorName(name, 'ServiceMonitor'),
  monitorName(name, 'PodMonitor'),
]

describe('names', () => {
  test.each([
    ['cart', 'checkout', 'cart--checkout'],
    ['cart', 'add-item', 'cart--add-item'],
    ['my-cart', 'add', 'my-cart--add'],
  ])('function %s/%s is called %s', (name, key, expected) => {
    expect(functionName(name, key)).toBe(expected)
  })

  test('what is not plain is shortened and ends in a hash', () => {
    expect(functionName('shop.cart', 'Add Item')).toMatch(/^shop-cart-add-item-[0-9a-f]{10}$/)
    expect(functionName('7up', '!')).toMatch(/^nup-[0-9a-f]{10}$/)
    expect(functionName('cart', 'x'.repeat(200))).toMatch(/^cart-x{25}-[0-9a-f]{10}$/)
  })

  test('a class of 200 characters has names and a label that fit', () => {
    const long = `${'a'.repeat(100)}.${'b'.repeat(99)}`
    for (const name of allNames(long, ['f', 'g'.repeat(300)])) {
      expect(name).toMatch(DNS_1035)
      expect(name.length).toBeLessThanOrEqual(63)
    }
    expect(ownerLabel(long)).toMatch(LABEL_VALUE)
    expect(ownerLabel(long).length).toBeLessThanOrEqual(63)
    expect(ownerLabel(long)).not.toBe(ownerLabel(`${long}c`))
  })

  test.each([
    ['a-b', 'c', 'a', 'b-c'],
    ['a-b', 'c', 'a.b', 'c'],
    ['abc--d', 'e', 'abc', 'd--e'],
    ['cart', 'Add', 'cart', 'add'],
    ['cart', 'a.b', 'cart', 'a-b'],
    ['cart', 'add ', 'cart', 'add'],
  ])('%s/%s and %s/%s do not share a name', (name, key, otherName, otherKey) => {
    expect(functionName(name, key)).not.toBe(functionName(otherName, otherKey))
  })

  test('a function named like a part of the platform keeps out of its way', () => {
    const names = allNames('cart', ['odgm', 'odgm-svc', 'svcmon', 'podmon'])
    expect(new Set(names).size).toBe(names.length)
    expect(functionName('cart', 'odgm')).not.toBe(odgmName('cart'))
    expect(functionName('abc', 'd-odgm')).not.toBe(odgmName('abc--d'))
  })

  test('no name reads as an internationalised domain', () => {
    expect(functionName('xn', 'abc')).not.toMatch(/^..--/)
  })

  test('every name is valid, whatever class and function are called', () => {
    fc.assert(
      fc.property(className, functionKey, (name, key) => {
        for (const made of allNames(name, [key])) {
          expect(made).toMatch(DNS_1035)
          expect(made.length).toBeLessThanOrEqual(63)
        }
        for (const label of [ownerLabel(name), functionLabel(key)]) {
          expect(label).toMatch(LABEL_VALUE)
          expect(label.length).toBeLessThanOrEqual(63)
        }
      }),
    )
  })

  test('two functions never share a name or a label, nor do two classes', () => {
    const pair = fc.tuple(className, functionKey)
    fc.assert(
      fc.property(pair, pair, (one, other) => {
        fc.pre(one[0] !== other[0] || one[1] !== other[1])
        expect(functionName(...one)).not.toBe(functionName(...other))
        if (one[1] !== other[1]) expect(functionLabel(one[1])).not.toBe(functionLabel(other[1]))
        if (one[0] === other[0]) return
        expect(ownerLabel(one[0])).not.toBe(ownerLabel(other[0]))
        expect(allNames(one[0], [one[1]]).filter((made) => allNames(other[0], [other[1]]).includes(made))).toEqual([])
      }),
    )
  })
})
