import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from './json.ts'
import { DEFAULT_LAYOUT, FIRST_LAYOUT } from './layout.ts'
import { appliedDigest, deepMerge, mergeValues, releaseValues, systemValues } from './values.ts'

const system = systemValues(
  { id: '7', deploymentUid: 'hello-bob-abc123', namespaceName: 'hello-bob-abc123', domainname: 'shop.example.com' },
  'traefik',
  FIRST_LAYOUT,
)

const SYSTEM = {
  ingress: { host: 'shop.example.com', className: 'traefik' },
  caelus: { deploymentId: '7', deploymentUid: 'hello-bob-abc123', namespace: 'hello-bob-abc123' },
}

describe('mergeValues', () => {
  it('gives the tenant the user part and nothing else', () => {
    const merged = mergeValues({
      defaults: { image: { tag: '1' }, user: { message: 'hi', list: [1, 2] }, ingress: { enabled: true, host: '' } },
      userValues: { list: [3], image: { tag: 'evil' } },
      system,
    })
    expect(merged).toEqual({
      image: { tag: '1' },
      user: { message: 'hi', list: [3], image: { tag: 'evil' } },
      ingress: { enabled: true, host: 'shop.example.com', className: 'traefik' },
      caelus: { deploymentId: '7', deploymentUid: 'hello-bob-abc123', namespace: 'hello-bob-abc123' },
    })
  })

  it('keeps null as a value, because Helm takes it as "without the default"', () => {
    expect(mergeValues({ defaults: { user: { a: 1, b: 2 } }, userValues: { a: null }, system }).user).toEqual({
      a: null,
      b: 2,
    })
  })

  it('invents no user part for a template that has none', () => {
    expect(mergeValues({ defaults: { a: 1 }, userValues: {}, system })).not.toHaveProperty('user')
  })
})

describe('releaseValues', () => {
  const defaultValues = { image: 'nginx', replicas: 2, user: { message: 'hi', size: 1 } }
  const layers = { userValues: { size: 3 }, system }

  it('gives Helm what template, tenant and platform say, and not what the chart says itself', () => {
    const template = { defaultValues, overrides: { replicas: 2, user: { size: 1 } }, layout: DEFAULT_LAYOUT }
    const { given, effective } = releaseValues(template, layers)
    expect(given).toEqual({ replicas: 2, user: { size: 3 }, ...SYSTEM })
    expect(effective).toEqual({ image: 'nginx', replicas: 2, user: { message: 'hi', size: 3 }, ...SYSTEM })
  })

  it('gives all of it for a template from before the two were kept apart: its releases must not change', () => {
    const { given, effective } = releaseValues({ defaultValues, overrides: null, layout: FIRST_LAYOUT }, layers)
    expect(given).toEqual(deepMerge({ ...defaultValues, user: { message: 'hi', size: 3 } }, SYSTEM))
    expect(effective).toEqual(given)
  })
})

describe('deepMerge', () => {
  it('never touches a prototype', () => {
    const hostile = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')
    const merged = deepMerge({ a: { b: 1 } }, { a: hostile as JsonObject })
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect((merged.a as Record<string, unknown>).polluted).toBeUndefined()
    expect(Object.getPrototypeOf(merged.a)).toBe(Object.prototype)
  })

  it('changes neither side and is done after once', () => {
    const values = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>
    fc.assert(
      fc.property(values, values, (base, over) => {
        const before = JSON.stringify([base, over])
        const merged = deepMerge(base, over)
        expect(JSON.stringify([base, over])).toBe(before)
        expect(deepMerge(merged, over)).toEqual(merged)
      }),
    )
  })
})

it('digests what would be applied, not how it was written down', () => {
  const template = { id: '1', chartRef: 'oci://charts/hello', chartVersion: '0.1.0', chartDigest: null }
  const digest = appliedDigest(template, { a: 1, b: { c: 2, d: 3 } }, 'salt')
  expect(appliedDigest(template, { b: { d: 3, c: 2 }, a: 1 }, 'salt')).toBe(digest)
  expect(appliedDigest(template, { a: 2, b: { c: 2, d: 3 } }, 'salt')).not.toBe(digest)
  expect(appliedDigest({ ...template, chartVersion: '0.1.1' }, { a: 1, b: { c: 2, d: 3 } }, 'salt')).not.toBe(digest)
})
