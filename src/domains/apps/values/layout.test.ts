import { describe, expect, it } from 'vitest'
import type { JsonObject } from './json.ts'
import { DEFAULT_LAYOUT, placed, pointerIn, unplaceable, type Layout } from './layout.ts'
import { releaseValues, reservedPointers, systemValues } from './values.ts'

it.each([
  ['serverName', '/serverName'],
  ['nextcloud.nextcloud.host', '/nextcloud/nextcloud/host'],
  ['ingress.hosts[0].host', '/ingress/hosts/0/host'],
  ['hosts[1]', '/hosts/1'],
  [String.raw`annotations.example\.org/host`, '/annotations/example.org~1host'],
  ['/ingress/host', '/ingress/host'],
  ['/a~1b/c', '/a~1b/c'],
  ['', undefined],
  ['a..b', undefined],
  ['/', undefined],
  ['__proto__.host', undefined],
])('reads the path %s as %s', (written, pointer) => {
  expect(pointerIn(written)).toBe(pointer)
})

describe('placed', () => {
  const value = 'a.example'
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['/host', {}, {}, { host: value }],
    ['/a/b/host', { a: { c: 1 } }, {}, { a: { c: 1, b: { host: value } } }],
    ['/a/host', { a: null }, {}, { a: { host: value } }],
    ['/hosts/0', {}, {}, { hosts: [value] }],
    ['/hosts/0/host', {}, {}, { hosts: [{ host: value }] }],
    [
      '/hosts/0/host',
      {},
      { hosts: [{ host: 'x', paths: ['/'] }, { host: 'y' }] },
      { hosts: [{ host: value, paths: ['/'] }, { host: 'y' }] },
    ],
    ['/hosts/0/host', { hosts: [{ tls: true }] }, { hosts: [{ host: 'x' }] }, { hosts: [{ tls: true, host: value }] }],
  ])('writes at %s', (pointer, values, defaults, expected) => {
    const before = JSON.stringify([values, defaults])
    expect(placed(values, { pointer, value }, defaults)).toEqual(expected)
    expect(JSON.stringify([values, defaults])).toBe(before)
  })
})

it.each([
  ['/host', {}, undefined],
  ['/host', { host: 'x' }, undefined],
  ['/a/host', { a: null }, undefined],
  ['/a/host', { a: 'text' }, /a is neither/],
  ['/hosts/1', { hosts: ['x'] }, /hosts is a list of 1 items/],
  ['/hosts', { hosts: ['x'] }, /hosts is a list in/],
  ['/ingress', { ingress: {} }, /ingress is an object/],
])('says whether something can be written at %s of %j', (pointer, defaults, why) => {
  const said = unplaceable(pointer, defaults)
  if (why === undefined) expect(said).toBeUndefined()
  else expect(said).toMatch(why)
})

describe('the values of charts of other shapes', () => {
  const deployment = { id: '7', deploymentUid: 'm-1', namespaceName: 'm-1', domainname: 'chat.example.com' }
  const CAELUS = { deploymentId: '7', deploymentUid: 'm-1', namespace: 'm-1' }
  it.each<[string, Partial<Layout>, { defaults?: JsonObject; user?: JsonObject }, JsonObject]>([
    [
      'a plan, always',
      {},
      {},
      { ingress: { host: 'chat.example.com', className: 'c' }, caelus: { ...CAELUS, plan: {} } },
    ],
    [
      'the plan of the template',
      { plan: { storageSize: '5Gi' }, domainPaths: [], ingressClassPaths: [] },
      {},
      { caelus: { ...CAELUS, plan: { storageSize: '5Gi' } } },
    ],
    [
      'the domain at several places and no ingress',
      { domainPaths: ['/serverName', '/nextcloud/host'], ingressClassPaths: [], caelusValues: false },
      {},
      { serverName: 'chat.example.com', nextcloud: { host: 'chat.example.com' } },
    ],
    [
      'settings at the root, which the platform overrides',
      { userValues: 'root', domainPaths: ['/serverName'], ingressClassPaths: [], caelusValues: false },
      { defaults: { replicas: 1, limits: { cpu: 1 } }, user: { limits: { memory: 2 }, serverName: 'evil' } },
      { serverName: 'chat.example.com', limits: { memory: 2 } },
    ],
    [
      'one item of a list of the chart',
      { domainPaths: ['/hosts/0/host'], ingressClassPaths: [], caelusValues: false },
      { defaults: { hosts: [{ host: 'chart.local', paths: ['/'] }] } },
      { hosts: [{ host: 'chat.example.com', paths: ['/'] }] },
    ],
  ])('have %s', (_, change, { defaults = {}, user = {} }, expected) => {
    const layout = { ...DEFAULT_LAYOUT, ...change }
    const system = systemValues(deployment, 'c', layout)
    const template = { overrides: {}, defaultValues: defaults, layout }
    expect(releaseValues(template, { userValues: user, system }).given).toEqual(expected)
  })

  it('are reserved wherever the platform writes', () => {
    const layout = { ...DEFAULT_LAYOUT, domainPaths: ['/a/host'], ingressClassPaths: [], plan: { size: 1 } }
    expect([...reservedPointers(systemValues(deployment, 'c', layout))].toSorted()).toEqual([
      '/a',
      '/a/host',
      '/caelus',
      '/caelus/deploymentId',
      '/caelus/deploymentUid',
      '/caelus/namespace',
      '/caelus/plan',
      '/caelus/plan/size',
    ])
  })
})
