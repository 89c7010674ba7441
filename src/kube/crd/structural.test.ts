import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { structural } from './structural.ts'

describe('a schema becomes structural', () => {
  test.each([
    ['a literal', Type.Literal('x'), { type: 'string', enum: ['x'] }],
    ['a union of literals', Type.Union([Type.Literal('x'), Type.Literal('y')]), { type: 'string', enum: ['x', 'y'] }],
    ['an enum', Type.Enum(['p', 'q']), { type: 'string', enum: ['p', 'q'] }],
    ['whole numbers to choose from', Type.Union([Type.Literal(1), Type.Literal(2)]), { type: 'integer', enum: [1, 2] }],
    [
      'a value or null',
      Type.Union([Type.String({ maxLength: 3 }), Type.Null()]),
      { type: 'string', maxLength: 3, nullable: true },
    ],
    [
      'literals or null',
      Type.Union([Type.Literal('x'), Type.Literal('y'), Type.Null()]),
      { type: 'string', enum: ['x', 'y'], nullable: true },
    ],
    ['a number or a name', Type.Union([Type.Integer(), Type.String()]), { 'x-kubernetes-int-or-string': true }],
    [
      'anything',
      Type.Unknown({ description: 'free' }),
      { description: 'free', 'x-kubernetes-preserve-unknown-fields': true },
    ],
    [
      'a record',
      Type.Record(Type.String(), Type.Integer()),
      { type: 'object', additionalProperties: { type: 'integer' } },
    ],
    ['a closed object', Type.Object({}, { additionalProperties: false }), { type: 'object', properties: {} }],
    [
      'an intersection',
      Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Optional(Type.Boolean()) })]),
      { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: { type: 'boolean' } } },
    ],
    [
      'a list with keys',
      Type.Array(Type.Object({ name: Type.String() }), {
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      }),
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      },
    ],
  ])('%s', (_, schema, expected) => {
    expect(structural(schema)).toEqual(expected)
  })
})

describe('what has no structural form is refused with its path', () => {
  test.each([
    [
      'a union of shapes',
      Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]),
      'a union of different shapes',
    ],
    ['keys with a pattern', Type.Record(Type.String({ pattern: '^a' }), Type.String()), 'keys with a pattern'],
    ['a tuple', Type.Tuple([Type.String(), Type.Integer()]), 'has no structural form'],
    [
      'an intersection of scalars',
      Type.Intersect([Type.String(), Type.String({ minLength: 1 })]),
      'only objects can be intersected',
    ],
  ])('%s', (_, schema, message) => {
    expect(() => structural(Type.Object({ list: Type.Array(schema) }), 'Thing.spec')).toThrow(
      `failed to convert Thing.spec.list[]: `,
    )
    expect(() => structural(schema)).toThrow(message)
  })
})
