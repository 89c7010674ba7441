import { describe, expect, it } from 'vitest'
import { pathText, type KubeObject } from '../../../kube/index.ts'
import { available } from '../fake/cart.ts'
import { differs, stateName } from './diff.ts'
import { plan, type Plan } from '../plan.ts'
import { SETTINGS } from '../fake/world.ts'

const fieldsOf = (wanted: object, live: object): string[] =>
  differs(
    { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, ...wanted },
    { metadata: { name: 'x' }, ...live },
  ).map(({ path }) => pathText(path))

describe('a live object', () => {
  it.each([
    ['what we do not render', { spec: { a: 1 } }, { spec: { a: 1, b: 2 } }],
    [
      'other items of a list with names',
      { spec: { env: [{ name: 'A', value: '1' }] } },
      { spec: { env: [{ name: 'B' }, { name: 'A', value: '1' }] } },
    ],
    [
      'another way to write a quantity',
      { limits: { cpu: '1000m', memory: '1024Mi' } },
      { limits: { cpu: 1, memory: '1Gi' } },
    ],
    [
      'an empty text that the server dropped',
      { spec: { env: [{ name: 'A', value: '' }] } },
      { spec: { env: [{ name: 'A' }] } },
    ],
    ['an empty list or map that the server dropped', { spec: { a: [], b: {}, c: { d: false } } }, {}],
    ['a field that we leave undefined', { spec: { a: undefined } }, { spec: { a: 1 } }],
    ['another version of its API', { apiVersion: 'v2' }, { apiVersion: 'v1' }],
  ])('does not differ by %s', (_, wanted, live) => {
    expect(fieldsOf(wanted, live)).toEqual([])
  })

  it.each([
    [{ spec: { a: 1 } }, { spec: { a: 2 } }, 'spec.a'],
    [{ spec: { a: 1 } }, {}, 'spec'],
    [
      { metadata: { name: 'x', labels: { 'oaas.io/owner': 'a' } } },
      { metadata: { name: 'x', labels: {} } },
      'metadata.labels["oaas.io/owner"]',
    ],
    [
      { spec: { containers: [{ name: 'app', image: 'a' }] } },
      { spec: { containers: [{ name: 'side' }, { name: 'app', image: 'b' }] } },
      'spec.containers[name=app].image',
    ],
    [
      { spec: { containers: [{ name: 'app' }] } },
      { spec: { containers: [{ name: 'side' }] } },
      'spec.containers[name=app]',
    ],
    [{ spec: { args: ['a', 'b'] } }, { spec: { args: ['b', 'a'] } }, 'spec.args'],
    [{ spec: { args: ['a'] } }, { spec: { args: ['a', 'b'] } }, 'spec.args'],
    [{ limits: { cpu: '1' } }, { limits: { cpu: '1100m' } }, 'limits.cpu'],
    [{ spec: { limit: '1' } }, { spec: { limit: '1000m' } }, 'spec.limit'],
  ])('%o differs from %o in %s', (wanted, live, fields) => {
    expect(fieldsOf(wanted, live).join(' ')).toBe(fields)
  })

  it('does not differ from what it was made from', () => {
    const { rendered } = plan(available.seen, SETTINGS) as Plan
    const live = new Map(available.seen.children.map((child) => [child.kind, child.object]))
    for (const { kind, object } of rendered.children) expect(differs(object, live.get(kind) as KubeObject)).toEqual([])
  })
})

it('names the state of a child by its uid and generation', () => {
  expect(available.seen.children.map(stateName)).toEqual([
    'Deployment/cart--checkout/uid-of-Deployment-cart--checkout/1',
    'Service/cart--checkout/uid-of-Service-cart--checkout/1',
  ])
})
