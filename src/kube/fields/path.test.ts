import { describe, expect, it } from 'vitest'
import { isAtOrBelow, pathIn, pathText, serverText, valueAt, withoutField, type FieldPath } from './path.ts'

const CASES: readonly [path: FieldPath, text: string, server: string][] = [
  [['spec', 'replicas'], 'spec.replicas', '.spec.replicas'],
  [
    ['spec', 'containers', { key: { name: 'app' } }, 'image'],
    'spec.containers[name=app].image',
    '.spec.containers[name="app"].image',
  ],
  [
    ['ports', { key: { containerPort: 80, protocol: 'TCP' } }],
    'ports[containerPort=80,protocol=TCP]',
    '.ports[containerPort=80,protocol="TCP"]',
  ],
  [['env', { key: { name: '80' } }], 'env[name="80"]', '.env[name="80"]'],
  [['env', { key: { name: 'true' } }], 'env[name="true"]', '.env[name="true"]'],
  [['env', { key: { name: 'a]b,c=d' } }], 'env[name="a]b,c=d"]', '.env[name="a]b,c=d"]'],
  [['mounts', { key: { mountPath: '/var/a.b' } }], 'mounts[mountPath=/var/a.b]', '.mounts[mountPath="/var/a.b"]'],
  [['metadata', 'labels', 'oaas.io/owner'], 'metadata.labels["oaas.io/owner"]', '.metadata.labels.oaas.io/owner'],
  [['data', '0'], 'data["0"]', '.data.0'],
  [['args', { index: 0 }], 'args[0]', '.args[0]'],
  [['finalizers', { value: 'caelus.dev/hold' }], 'finalizers[=caelus.dev/hold]', '.finalizers[="caelus.dev/hold"]'],
  [['a.b'], '["a.b"]', '.a.b'],
]

/** An object that has a value at the path, and others beside it. */
const objectWith = (path: FieldPath): unknown =>
  path.reduceRight<unknown>((inner, part) => {
    if (typeof part === 'string') return { other: 1, [part]: inner }
    if ('index' in part) return [inner]
    if ('value' in part) return ['other', part.value]
    return [{ name: 'other' }, { ...part.key, ...(typeof inner === 'object' ? inner : {}) }]
  }, 'x')

describe('a path', () => {
  it.each(CASES)('%j is printed as %s, by the server as %s', (path, text, server) => {
    expect([pathText(path), serverText(path)]).toEqual([text, server])
  })

  it.each(CASES)('%j is found in an object by %s and by %s', (path, text, server) => {
    const object = objectWith(path)
    expect([pathIn(object, text), pathIn(object, server)]).toEqual([path, path])
    expect(valueAt(object, path)).toBeDefined()
    expect(valueAt(withoutField(object as never, server), path)).toBeUndefined()
  })

  it('is found where a name has dots, and a shorter one is there as well', () => {
    const object = { annotations: { a: { b: 1 }, 'a.b/c': '1', 'a.b/d': '2' } }
    expect(pathIn(object, '.annotations.a.b/c')).toEqual(['annotations', 'a.b/c'])
    expect(pathIn(object, '.annotations.a.b')).toEqual(['annotations', 'a', 'b'])
  })

  it('is not found where the object does not have it', () => {
    for (const text of [
      '',
      '.spec.nothing[name="x"].here',
      'spec[0]',
      '.spec.containers[name="x"]',
      'spec.containers[5]',
    ])
      expect(pathIn({ spec: { containers: [{ name: 'a' }] } }, text)).toBeUndefined()
  })

  it.each([
    ['', true],
    ['metadata.annotations', true],
    ['.metadata.annotations', true],
    ['.metadata.annotations.a.b/c', true],
    ['metadata.annotations["a.b/c"]', true],
    ['metadata.annotations["a.b/c"].d', false],
    ['metadata.ann', false],
    ['spec', false],
  ])('is at or below %j: %j', (text, is) => {
    expect(isAtOrBelow(['metadata', 'annotations', 'a.b/c'], text)).toBe(is)
  })
})

it('withoutField leaves everything else as it is', () => {
  const object = {
    spec: {
      containers: [
        { name: 'a', image: 'x' },
        { name: 'b', image: 'y' },
      ],
    },
  }
  expect(withoutField(object, 'spec.containers[name=b].image')).toEqual({
    spec: { containers: [{ name: 'a', image: 'x' }, { name: 'b' }] },
  })
  expect(withoutField(object, '.spec.containers[name="a"]')).toEqual({
    spec: { containers: [{ name: 'b', image: 'y' }] },
  })
  expect(withoutField(object, 'spec.replicas')).toBe(object)
})
