import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { stamped, stampOf } from './stamp.ts'
import type { RenderedChild } from '../types.ts'

const stampFor = (spec: object): string | undefined => {
  const object = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace: 'b' }, spec }
  return stampOf(stamped({ kind: 'Service', name: 'a', handed: [], object } as unknown as RenderedChild).object)
}

const HEAD = '{"apiVersion","kind","metadata"{"name","namespace"},"spec"'

/** Written down by hand: with another text for the same fields every child of every cluster would be applied anew. */
test.for<[why: string, spec: object, fields: string]>([
  ['fields are in an order of their own', { b: 1, a: { d: [], c: 'x' } }, '{"a"{"c","d"[]},"b"}'],
  ['what is undefined is no field', { a: undefined, b: undefined, c: null }, '{"c"}'],
  ['items go by their names, or by their place', { l: [{ name: 'x', v: 1 }, 7, [8]] }, '{"l"[x{"name","v"},1,2[0]]}'],
  ['names are quoted', { 'a "b"': 1, 'app.io/x-y_z': 2, ü: 3 }, '{"a \\"b\\"","app.io/x-y_z","ü"}'],
])('%s', ([, spec, fields]) => {
  expect(stampFor(spec)).toBe(createHash('sha256').update(`${HEAD}${fields}}`).digest('hex').slice(0, 16))
})

test('values do not matter, fields do', () => {
  expect(stampFor({ a: 1 })).toBe(stampFor({ a: 'secret' }))
  expect(stampFor({ a: 1 })).not.toBe(stampFor({ a: {} }))
})
