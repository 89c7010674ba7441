import { expect, test } from 'vitest'
import type { KubernetesVersion } from '../gardener/gardener.ts'
import { isOrderable, upgradesFrom } from './versions.ts'

const one = (version: string, classification: KubernetesVersion['classification'] = 'supported') => ({
  version,
  classification,
  expiresAt: null,
})

const offered = [
  one('1.36.1', 'preview'),
  one('1.36.0', 'preview'),
  one('1.35.10'),
  one('1.35.2', 'deprecated'),
  one('1.34.3'),
  one('1.34.1', 'deprecated'),
  one('1.33.5', 'expired'),
  one('1.32.9'),
]
const pools = [{ name: 'default' }, { name: 'gpu' }]

test.each([
  ['1.34.1', ['1.34.3 patch', '1.35.2 minor', '1.35.10 minor']],
  ['1.34.3', ['1.35.2 minor', '1.35.10 minor']],
  ['1.35.10', []],
  ['1.36.0', ['1.36.1 patch']],
  ['1.33.5', ['1.34.1 minor', '1.34.3 minor']],
  ['1.32.9', []],
  ['1.31.0', ['1.32.9 minor']],
  ['nonsense', []],
])('from %s Gardener accepts %j', (present, expected) => {
  expect(upgradesFrom(present, offered, pools).map(({ version, kind }) => `${version} ${kind}`)).toEqual(expected)
})

test('a new minor replaces the nodes of all pools, a patch none', () => {
  const [patch, minor] = upgradesFrom('1.34.1', offered, pools)
  expect(patch).toEqual({ version: '1.34.3', kind: 'patch', classification: 'supported', expiresAt: null, rolls: [] })
  expect(minor).toMatchObject({ version: '1.35.2', classification: 'deprecated', rolls: ['default', 'gpu'] })
})

test.each([
  ['1.34', true],
  ['1.34.1', true],
  ['1.36', false],
  ['1.36.1', true],
  ['1.33', false],
  ['1.33.5', false],
  ['1.34.2', false],
  ['latest', false],
])('a cluster may be ordered with %s: %s', (ordered, expected) => {
  expect(isOrderable(ordered, offered)).toBe(expected)
})
