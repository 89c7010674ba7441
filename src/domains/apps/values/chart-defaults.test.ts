import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { coalesce, overridesIn } from './chart-defaults.ts'
import type { JsonObject } from './json.ts'

it('keeps of what was written only what differs from the chart', () => {
  const chart = { image: 'nginx', secret: { name: null, key: null }, list: [1, 2], user: { message: 'hi', size: 1 } }
  expect(overridesIn({ ...chart, image: 'caddy', user: { message: 'hi', size: 2 } }, chart)).toEqual({
    image: 'caddy',
    user: { size: 2 },
  })
  expect(overridesIn({ list: [1], secret: null, more: { a: null } }, chart)).toEqual({
    list: [1],
    secret: null,
    more: { a: null },
  })
})

it('leaves out nothing that matters', () => {
  const plain = fc.oneof(fc.integer(), fc.constant(null), fc.array(fc.integer(), { maxLength: 2 }))
  const key = fc.constantFrom('a', 'b', 'c')
  const values = fc.dictionary(key, fc.oneof(plain, fc.dictionary(key, plain))) as fc.Arbitrary<JsonObject>
  fc.assert(
    fc.property(values, values, (chart, written) => {
      const withoutNulls = (object: JsonObject) => coalesce(object, {})
      expect(withoutNulls(coalesce(chart, overridesIn(written, chart)))).toEqual(withoutNulls(coalesce(chart, written)))
    }),
  )
})
