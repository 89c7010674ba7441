import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sameValue } from '../../kernel/index.ts'
import { diffFields, leafFields, unmetFields } from './diff.ts'
import { Ownership } from './ownership.ts'
import type { Fields } from './fields.ts'
import { pathText, valueAt } from './path.ts'

const lines = (before: unknown, after: unknown): string[] =>
  diffFields(before, after).map(
    ({ path, change, ...values }) => `${change} ${pathText(path)} ${JSON.stringify(values)}`,
  )

describe('diffFields', () => {
  it('lists added, removed and changed fields in a stable order', () => {
    expect(lines({ b: 1, c: { d: 1, e: 2 } }, { a: 0, c: { d: 2, e: 2 } })).toEqual([
      'added a {"after":0}',
      'removed b {"before":1}',
      'changed c.d {"before":1,"after":2}',
    ])
  })

  it.each([
    ['name', { name: 'web', image: 'a' }, { name: 'side', image: 's' }, '[name=web]'],
    [
      'containerPort',
      { containerPort: 80, image: 'a' },
      { containerPort: 443, protocol: 'TCP', image: 's' },
      '[containerPort=80,protocol=TCP]',
    ],
    [
      'mountPath',
      { name: 'v', mountPath: '/a', image: 'a' },
      { name: 'v', mountPath: '/b', image: 's' },
      '[mountPath=/a]',
    ],
    ['type', { type: 'Ready', image: 'a' }, { type: 'Available', image: 's' }, '[type=Ready]'],
  ])('pairs list items by %s', (_, first, second, item) => {
    expect(lines({ l: [first, second] }, { l: [second, { ...first, image: 'b' }] })).toEqual([
      `changed l${item}.image {"before":"a","after":"b"}`,
    ])
    expect(lines({ l: [first, second] }, { l: [second] })[0]).toMatch(`removed l${item}`)
  })

  it('compares lists without keys index by index', () => {
    expect(lines(['a', 'b'], ['a', 'c', 'd'])).toEqual([
      'changed [1] {"before":"b","after":"c"}',
      'added [2] {"after":"d"}',
    ])
  })

  it('reports an item that took the place of another field by field', () => {
    const rules = (...hosts: string[]) => ({ rules: hosts.map((host) => ({ host, path: '/' })) })
    expect(lines(rules('a', 'b'), rules('c', 'b'))).toEqual(['changed rules[0].host {"before":"a","after":"c"}'])
    expect(lines(rules('a'), rules('b', 'a'))).toEqual(['added rules[host=b].path {"after":"/"}'])
  })

  it('reports what is added or removed field by field, without the keys that the path has', () => {
    const pod = { metadata: { labels: { 'a/b': 1 }, empty: {} }, containers: [{ name: 'web', image: 'a' }] }
    expect(lines({}, pod)).toEqual([
      'added containers[name=web].image {"after":"a"}',
      'added metadata.empty {"after":{}}',
      'added metadata.labels["a/b"] {"after":1}',
    ])
    expect(leafFields([{ name: 'A' }], 'removed', ['env'])).toEqual([
      { path: ['env', { key: { name: 'A' } }], change: 'removed', before: { name: 'A' } },
    ])
  })

  it('compares a field that counts as one value as one', () => {
    expect(diffFields({ a: { b: 1 } }, { a: { b: 2 } }, (path) => path.length === 1)).toEqual([
      { path: ['a'], change: 'changed', before: { b: 1 }, after: { b: 2 } },
    ])
  })

  it('lists everything that differs and nothing else', () => {
    const values = fc
      .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
      .map((some) => JSON.parse(JSON.stringify(some)) as Fields)
    fc.assert(
      fc.property(values, values, (before, after) => {
        const changes = diffFields(before, after)
        for (const { path, change, after: shown } of changes) {
          if (change !== 'removed') expect(valueAt(after, path)).toEqual(shown)
        }
        expect(diffFields(after, after)).toEqual([])
        expect(changes.length === 0).toBe(sameValue(before, after))
      }),
    )
  })
})

const managed = (fieldsV1: Fields): Ownership =>
  Ownership.of({
    metadata: {
      name: 'x',
      managedFields: [{ manager: 'm', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }],
    },
  })
const unmet = (wanted: Fields, live: unknown, fieldsV1?: Fields): string[] =>
  unmetFields(wanted, live, fieldsV1 && managed(fieldsV1)).map(({ path }) => pathText(path))

describe('unmetFields', () => {
  it.each<[string, Fields, unknown]>([
    ['a field that is not wanted', { a: 1 }, { a: 1, b: 2 }],
    ['a field that is wanted as undefined', { a: undefined }, { a: 1 }],
    [
      'another item of a list with merge keys',
      { env: [{ name: 'A', value: '1' }] },
      { env: [{ name: 'B' }, { name: 'A', value: '1' }] },
    ],
    ['a default in a key', { ports: [{ port: 80 }] }, { ports: [{ port: 80, protocol: 'TCP' }] }],
    ['a default in an item', { rules: [{ host: 'a' }] }, { rules: [{ host: 'a', pathType: 'Prefix' }] }],
    ['no wanted items of a list with merge keys', { env: [] }, { env: [{ name: 'A' }] }],
  ])('ignores %s', (_, wanted, live) => {
    expect(unmet(wanted, live)).toEqual([])
  })

  it.each<[Fields, unknown, string]>([
    [{ a: { b: 1 } }, {}, 'a'],
    [
      { containers: [{ name: 'app', image: 'a' }] },
      { containers: [{ name: 'side' }, { name: 'app', image: 'b' }] },
      'containers[name=app].image',
    ],
    [{ containers: [{ name: 'app' }] }, { containers: [] }, 'containers[name=app]'],
    [{ env: [{ name: 'A', value: '1' }] }, { env: [{ name: 'A' }, { name: 'A', value: '1' }] }, 'env[name=A].value'],
    [{ args: ['a', 'b'] }, { args: ['b', 'a'] }, 'args'],
    [{ args: ['a'] }, { args: ['a', 'b'] }, 'args'],
    [{ rules: [{ host: 'a' }] }, { rules: [{ host: 'a' }, { host: 'b' }] }, 'rules'],
    [{ ports: [{ port: 80, name: 'a' }] }, { ports: [{ port: 81, name: 'a' }] }, 'ports[port=80,protocol=TCP]'],
  ])('%j is not met by %j in %s', (wanted, live, field) => {
    expect(unmet(wanted, live)).toEqual([field])
  })

  it.each<[string, Fields, string[]]>([
    ['as one value, where a manager owns the list whole', { 'f:items': {} }, ['items']],
    ['by the keys that a manager owns', { 'f:items': { 'k:{"id":1}': { '.': {} } } }, ['items[id=1].x']],
  ])('merges a list %s', (_, fieldsV1, fields) => {
    const live = { items: [{ id: 2 }, { id: 1, x: 2 }] }
    expect(unmet({ items: [{ id: 1, x: 1 }] }, live, fieldsV1)).toEqual(fields)
  })

  it('merges a list as a set where a manager owns values of it', () => {
    const fieldsV1 = { 'f:finalizers': { 'v:"a"': {} } }
    expect(unmet({ finalizers: ['a', 'b'] }, { finalizers: ['c', 'a'] }, fieldsV1)).toEqual(['finalizers[=b]'])
  })

  it('names the owners of the live field', () => {
    expect(unmetFields({ a: 1 }, { a: 2 }, managed({ 'f:a': {} }))).toEqual([
      { path: ['a'], change: 'changed', before: 2, after: 1, owners: [{ manager: 'm', operation: 'Apply' }] },
    ])
  })
})
