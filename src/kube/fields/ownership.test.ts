import { describe, expect, it, test } from 'vitest'
import type { KubeObject, ManagedFields } from '../objects.ts'
import { fromFieldsV1, partOf, toFieldsV1 } from './fields-v1.ts'
import { isApplier, isOwnedBy, mergeFields, ownedFields, Ownership } from './ownership.ts'

const entry = (
  manager: string,
  fieldsV1: ManagedFields['fieldsV1'],
  more: Partial<ManagedFields> = {},
): ManagedFields => ({
  manager,
  operation: 'Apply',
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
})

const object = (...managedFields: readonly ManagedFields[]): KubeObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', finalizers: ['x', 'y'], managedFields },
    spec: {
      replicas: 5,
      ports: [{ containerPort: 80, protocol: 'TCP', name: 'http' }],
      containers: [
        { name: 'web', image: 'a:1', args: ['-v'] },
        { name: 'side', image: 'b:1' },
      ],
    },
  }) as unknown as KubeObject

const FIELDS = {
  'f:metadata': { 'f:finalizers': { 'v:"y"': {} } },
  'f:spec': {
    'f:replicas': {},
    'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:name': {} } },
    'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:name': {}, 'f:args': {} } },
  },
}

test('FieldsV1 is written as it was read', () => {
  expect(toFieldsV1(fromFieldsV1(FIELDS))).toEqual(FIELDS)
})

test('each element of FieldsV1 is a step of a path', () => {
  expect(['f:a.b', 'k:{"name":"web"}', 'v:"x"', 'i:3'].map(partOf)).toEqual([
    'a.b',
    { key: { name: 'web' } },
    { value: 'x' },
    { index: 3 },
  ])
})

describe('ownedFields', () => {
  it('is what a manager applied, with the live values', () => {
    expect(ownedFields(object(entry('m', FIELDS)), 'm')).toEqual({
      metadata: { finalizers: ['y'] },
      spec: {
        replicas: 5,
        ports: [{ containerPort: 80, protocol: 'TCP', name: 'http' }],
        containers: [{ name: 'web', args: ['-v'] }],
      },
    })
  })

  it.each<[string, ManagedFields]>([
    ['another manager', entry('other', FIELDS)],
    ['an update', entry('m', FIELDS, { operation: 'Update' })],
    ['a subresource', entry('m', FIELDS, { subresource: 'status' })],
  ])('leaves out %s', (_, one) => {
    expect(ownedFields(object(one), 'm')).toEqual({})
  })
})

describe('Ownership', () => {
  const into = (...parts: Parameters<Ownership['into']>[0][]) =>
    parts.reduce((at, part) => at.into(part), Ownership.of(object(entry('m', FIELDS))))

  it('knows the owners along a walk, and of everything inside a value that is owned whole', () => {
    expect(into('spec', 'replicas').owners()).toEqual([{ manager: 'm', operation: 'Apply' }])
    expect(into('spec', 'containers', { key: { name: 'web' } }, 'args', { index: 0 }).owners()).toHaveLength(1)
    expect(into('spec', 'containers', { key: { name: 'side' } }).owners()).toEqual([])
  })

  it('knows how the API server merges a list', () => {
    expect(into('spec', 'ports').itemKeys).toEqual(['containerPort', 'protocol'])
    expect(into('spec', 'containers', { key: { name: 'web' } }, 'args').isAtomic).toBe(true)
    expect(into('metadata', 'finalizers').isSet).toBe(true)
  })

  it('distinguishes a named field from one inside a value that is owned as one', () => {
    const web = ['spec', 'containers', { key: { name: 'web' } }] as const
    const live = object(entry('m', FIELDS))
    expect(isOwnedBy(live, web, isApplier('m'))).toBe(true)
    expect(isOwnedBy(live, web, isApplier('other'))).toBe(false)
    const whole = object(entry('m', { 'f:spec': { 'f:containers': {} } }))
    expect(isOwnedBy(whole, web, () => true)).toBe(false)
  })
})

describe('mergeFields', () => {
  it.each([
    [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    [{ a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: 1, c: 3 } }],
    [
      { l: [{ name: 'a', x: 1 }] },
      { l: [{ name: 'b' }, { name: 'a', y: 2 }] },
      { l: [{ name: 'a', x: 1, y: 2 }, { name: 'b' }] },
    ],
    [{ l: ['a'] }, { l: ['b'] }, { l: ['b'] }],
    [{ l: [{ host: 'a' }] }, { l: [{ host: 'b' }] }, { l: [{ host: 'b' }] }],
    [{ a: 1 }, undefined, { a: 1 }],
  ])('%j and %j is %j', (a, b, both) => {
    expect(mergeFields(a, b)).toEqual(both)
  })
})
