import { describe, expect, it } from 'vitest'
import type { FieldPath } from '../../../kube/fields/index.ts'
import { ruleFindings } from '../inspection/ignore-rules.ts'
import type { JsonObject } from '../values/json.ts'
import { ruleFor, ruleProblems, type IgnoreRule } from './ignore-rules.ts'
import { asObject } from './release-objects.ts'

const WEB: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'shop-abc123-web', annotations: { 'example.com/a~b': 'x' } },
  spec: {
    replicas: 1,
    template: {
      spec: {
        containers: [
          { name: 'side', image: 'a' },
          { name: 'web', image: 'b', args: ['--x'], ports: [{ containerPort: 80, protocol: 'TCP', hostPort: 1 }] },
        ],
      },
    },
  },
}
const containers = ['spec', 'template', 'spec', 'containers'] as const
const image = (name: string): FieldPath => [...containers, { key: { name } }, 'image']
const covers = (pointer: string, path: FieldPath, rule: Partial<IgnoreRule> = {}): boolean =>
  ruleFor(WEB, path, [{ kind: 'Deployment', ...rule, paths: [pointer] }]) !== undefined

describe('a rule', () => {
  it('covers the field that its pointer names, and those below', () => {
    expect(covers('/spec/replicas', ['spec', 'replicas'])).toBe(true)
    expect(covers('/spec/template', image('web'))).toBe(true)
    expect(covers('/spec/replicas', ['spec'])).toBe(false)
    expect(covers('/spec/replica', ['spec', 'replicas'])).toBe(false)
    expect(covers('/metadata/annotations/example.com~1a~0b', ['metadata', 'annotations', 'example.com/a~b'])).toBe(true)
  })

  it.each([
    ['*', true, true],
    ['name=web', true, false],
    ['1', true, false],
    ['0', false, true],
    ['web', false, false],
    ['name=other', false, false],
  ])('finds items of lists by %s', (segment, web, side) => {
    const pointer = `/spec/template/spec/containers/${segment}/image`
    expect([covers(pointer, image('web')), covers(pointer, image('side'))]).toEqual([web, side])
  })

  it('finds items with several keys by some of them', () => {
    const path: FieldPath = [
      ...image('web').slice(0, -1),
      'ports',
      { key: { containerPort: 80, protocol: 'TCP' } },
      'hostPort',
    ]
    const port = (key: string) => `/spec/template/spec/containers/*/ports/${key}/hostPort`
    expect([covers(port('containerPort=80'), path), covers(port('containerPort=80,protocol=UDP'), path)]).toEqual([
      true,
      false,
    ])
  })

  it.each([
    [{}, true],
    [{ group: 'apps' }, true],
    [{ group: '' }, false],
    [{ kind: 'StatefulSet' }, false],
    [{ name: '*-web' }, true],
    [{ name: 'shop-*-w*b' }, true],
    [{ name: 'shop-abc123-web*' }, true],
    [{ name: '*-worker' }, false],
    [{ name: '*web*web' }, false],
    [{ name: 'web' }, false],
  ])('of %o is about its objects alone', (rule, isAbout) => {
    expect(covers('/spec/replicas', ['spec', 'replicas'], rule)).toBe(isAbout)
  })
})

describe('checking rules', () => {
  it.each([
    ['spec/replicas', /JSON pointer/],
    ['', /JSON pointer/],
    ['/', /JSON pointer/],
    ['/spec//replicas', /JSON pointer/],
    ['/spec/a~2b', /JSON pointer/],
    ['/*/replicas', /known by/],
    ['/kind', /known by/],
    ['/status/phase', /never compared/],
    ['/stringData/token', /\/data\//],
    ['/metadata', /label or an annotation/],
    ['/metadata/name', /label or an annotation/],
    ['/metadata/uid', /label or an annotation/],
    ['/metadata/namespace', /label or an annotation/],
    ['/metadata/labels', /name one/],
    ['/metadata/annotations/*', /name one/],
    ['/metadata/labels/app.kubernetes.io~1managed-by', /whose the object is/],
    ['/metadata/labels/caelus.io~1deployment-id', /whose the object is/],
    ['/metadata/annotations/meta.helm.sh~1release-name', /whose the object is/],
  ])('refuses %j', (pointer, why) => {
    expect(ruleProblems([{ kind: 'Deployment', paths: ['/spec/replicas', pointer] }])).toEqual([
      { field: 'drift_ignore/0/paths/1', message: expect.stringMatching(why) },
    ])
  })

  it('takes what can be ignored', () => {
    const paths = ['/spec/replicas', '/data/*', '/metadata/labels/example.com~1x', '/webhooks/*/clientConfig/caBundle']
    expect(ruleProblems([{ group: '', kind: 'ConfigMap', name: '*-web', paths }])).toEqual([])
    const wrong = ruleProblems([{ group: 'apps/v1', kind: 'deployment', name: 'a b', paths: [] }])
    expect(wrong.map(({ field }) => field)).toEqual(
      ['kind', 'group', 'name', 'paths'].map((name) => `drift_ignore/0/${name}`),
    )
  })

  it('names rules that have nothing to do with a sample order', () => {
    const served = [
      { group: 'apps', kind: 'Deployment' },
      { group: 'apps', kind: 'StatefulSet' },
    ]
    const found = (rule: IgnoreRule) =>
      ruleFindings([rule], [asObject(WEB)], served).map(({ code, severity, field }) => [code, severity, field])
    const args = '/spec/template/spec/containers/name=web/args'
    const good = ['/spec/replicas', '/spec/template/spec/containers/*/image', args, '/metadata/annotations/*']
    expect(found({ kind: 'Deployment', paths: good })).toEqual([])
    expect(found({ kind: 'Deployment', paths: ['/spec/replicas', '/spec/replica'] })).toEqual([
      ['IgnoredPathUnset', 'warning', 'drift_ignore/0/paths/1'],
    ])
    expect(found({ kind: 'Deployment', paths: [`${args}/0`] })).toHaveLength(1)
    expect(found({ kind: 'StatefulSet', paths: good })).toEqual([['IgnoredPathUnset', 'warning', 'drift_ignore/0']])
    expect(found({ kind: 'Deploymnt', paths: good })).toEqual([
      ['IgnoredKindUnknown', 'problem', 'drift_ignore/0/kind'],
    ])
    expect(found({ group: 'extensions', kind: 'Deployment', paths: good })).toEqual([
      ['IgnoredKindUnknown', 'problem', 'drift_ignore/0/group'],
    ])
    expect(ruleFindings([{ kind: 'Deploymnt', paths: good }], [asObject(WEB)], undefined)).toMatchObject([
      { code: 'IgnoredPathUnset' },
    ])
  })
})
