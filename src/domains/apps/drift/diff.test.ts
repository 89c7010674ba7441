import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectNoSentinel, SENTINEL } from '../../../../test/support/sentinel.ts'
import { diffFields } from './diff.ts'
import { diffObjects, objectName } from './diff-objects.ts'
import { canonical, readAt, type JsonObject } from '../values/json.ts'
import { masker, MASK } from '../values/redaction.ts'

const asIs = (text: string): string => text

describe('diffFields', () => {
  it('tells added, removed and changed fields in a stable order', () => {
    expect(diffFields({ b: 1, c: { d: 1, e: 2 } }, { a: 0, c: { d: 2, e: 2 } })).toEqual([
      { pointer: '/a', change: 'added', after: 0 },
      { pointer: '/b', change: 'removed', before: 1 },
      { pointer: '/c/d', change: 'changed', before: 1, after: 2 },
    ])
  })

  it.each([
    ['name', { name: 'web', image: 'a' }, { name: 'side', image: 's' }],
    ['containerPort', { containerPort: 80, image: 'a' }, { containerPort: 443, protocol: 'TCP', image: 's' }],
    ['mountPath', { name: 'v', mountPath: '/a', image: 'a' }, { name: 'v', mountPath: '/b', image: 's' }],
    ['type', { type: 'Ready', image: 'a' }, { type: 'Available', image: 's' }],
  ])('knows list items by %s', (_, first, second) => {
    expect(diffFields({ l: [first, second] }, { l: [second, { ...first, image: 'b' }] })).toEqual([
      { pointer: '/l/1/image', change: 'changed', before: 'a', after: 'b' },
    ])
    expect(diffFields({ l: [first, second] }, { l: [second] })).toEqual([
      { pointer: '/l/0', change: 'removed', before: first },
    ])
  })

  it('compares plain lists place by place', () => {
    expect(diffFields(['a', 'b'], ['a', 'c', 'd'])).toEqual([
      { pointer: '/1', change: 'changed', before: 'b', after: 'c' },
      { pointer: '/2', change: 'added', after: 'd' },
    ])
  })

  it('tells everything that differs and nothing else', () => {
    const values = fc
      .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
      .map((some) => JSON.parse(JSON.stringify(some)) as JsonObject)
    fc.assert(
      fc.property(values, values, (before, after) => {
        const changes = diffFields(before, after)
        for (const { pointer, change, after: shown } of changes) {
          if (change !== 'removed') expect(readAt(after, pointer)).toEqual(shown)
        }
        expect(diffFields(after, after)).toEqual([])
        expect(changes.length === 0).toBe(canonical(before) === canonical(after))
      }),
    )
  })

  it('tells that a secret changed, and neither value', () => {
    const isSecret = (pointer: string): boolean => pointer === '/user/password'
    const at = (password: string): JsonObject => ({ user: { password } })
    expect(diffFields(at(SENTINEL), at('other'), { isSecret })).toEqual([
      { pointer: '/user/password', change: 'changed', before: MASK, after: MASK },
    ])
    expect(diffFields({}, at(SENTINEL), { isSecret })).toEqual([
      { pointer: '/user', change: 'added', after: { password: MASK } },
    ])
  })
})

describe('diffObjects', () => {
  const secret = (data: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data })
  const deployment = (env: string): JsonObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { template: { spec: { containers: [{ name: 'web', env: [{ name: 'URL', value: env }] }] } } },
  })

  it('matches objects by kind and name', () => {
    const changes = diffObjects(
      [deployment('a'), secret({})],
      [deployment('b'), { kind: 'Service', metadata: { name: 'w' } }],
      asIs,
    )
    expect(changes.map(({ object, change }) => [object, change])).toEqual([
      ['Deployment/web', 'changed'],
      ['Secret/s', 'deleted'],
      ['Service/w', 'created'],
    ])
    expect(changes[0]?.fields).toEqual([
      { pointer: '/spec/template/spec/containers/0/env/0/value', change: 'changed', before: 'a', after: 'b' },
    ])
  })

  it('shows no secret, neither in a Secret nor where a chart rendered it to', () => {
    const encoded = Buffer.from(SENTINEL).toString('base64')
    const changes = diffObjects(
      [secret({ a: encoded }), deployment('x')],
      [secret({ a: 'b3RoZXI=', b: encoded }), deployment(`postgres://u:${SENTINEL}@db`)],
      masker([SENTINEL]),
    )
    expect(changes).toHaveLength(2)
    expectNoSentinel(changes)
    expect(JSON.stringify(changes)).not.toContain('b3RoZXI')
  })

  it('writes the group only where a kind could be mistaken', () => {
    expect(objectName({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'w' } })).toBe(
      'Ingress/w',
    )
    expect(objectName({ apiVersion: 'serving.knative.dev/v1', kind: 'Service', metadata: { name: 'w' } })).toBe(
      'Service.serving.knative.dev/w',
    )
  })
})
