import { describe, expect, it } from 'vitest'
import { expectNoSentinel, SENTINEL } from '../../../../test/support/sentinel.ts'
import { pathText, type FieldChange, type FieldPath } from '../../../kube/index.ts'
import { redactedDiff } from './diff.ts'
import { diffObjects, objectName } from './diff-objects.ts'
import type { JsonObject } from '../values/json.ts'
import { masker, MASK } from '../values/redaction.ts'

const asIs = (text: string): string => text
const inText = (changes: readonly FieldChange[]) =>
  changes.map(({ path, ...change }) => ({ field: pathText(path), ...change }))

describe('redactedDiff', () => {
  const isSecret = (path: FieldPath): boolean => pathText(path) === 'user.password'
  const at = (password: unknown) => ({ user: { password } })

  it('tells that a secret changed, and neither value', () => {
    expect(inText(redactedDiff(at(SENTINEL), at('other'), { isSecret }))).toEqual([
      { field: 'user.password', change: 'changed', before: MASK, after: MASK },
    ])
    expect(inText(redactedDiff({}, at(SENTINEL), { isSecret }))).toEqual([
      { field: 'user.password', change: 'added', after: MASK },
    ])
    expect(inText(redactedDiff(at({ deep: SENTINEL }), {}, { isSecret }))).toEqual([
      { field: 'user.password', change: 'removed', before: MASK },
    ])
    expect(inText(redactedDiff({ user: 'x' }, at(SENTINEL), { isSecret }))).toEqual([
      { field: 'user', change: 'changed', before: 'x', after: { password: MASK } },
    ])
  })

  it('hides a secret that is part of a plain field', () => {
    const changes = redactedDiff({ url: 'a' }, { url: `postgres://u:${SENTINEL}@db` }, { mask: masker([SENTINEL]) })
    expect(inText(changes)).toEqual([
      { field: 'url', change: 'changed', before: 'a', after: `postgres://u:${MASK}@db` },
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
    expect(inText(changes[0]?.fields ?? [])).toEqual([
      {
        field: 'spec.template.spec.containers[name=web].env[name=URL].value',
        change: 'changed',
        before: 'a',
        after: 'b',
      },
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
