import { expect, test } from 'vitest'
import { catalogueOf } from './catalogue.ts'
import type { CloudProfile } from './resources.ts'

const NOW = Date.parse('2026-06-01T00:00:00Z')

const profile = (spec: Partial<CloudProfile['spec']>): CloudProfile => ({
  apiVersion: 'core.gardener.cloud/v1beta1',
  kind: 'CloudProfile',
  metadata: { name: 'local' },
  spec: { type: 'local', kubernetes: {}, ...spec },
})

test('a profile with nothing offers nothing', () => {
  expect(catalogueOf(profile({}), NOW)).toEqual({ regions: [], versions: [], machineTypes: [], machineImages: [] })
})

test.each([
  [{ version: '1.34.3' }, 'supported', null],
  [{ version: '1.34.3', classification: 'supported' }, 'supported', null],
  [{ version: '1.36.0', classification: 'preview' }, 'preview', null],
  [
    { version: '1.33.1', classification: 'deprecated', expirationDate: '2026-06-02T00:00:00Z' },
    'deprecated',
    NOW + 86_400_000,
  ],
  [{ version: '1.33.0', classification: 'deprecated', expirationDate: '2026-06-01T00:00:00Z' }, 'expired', NOW],
])('%j is %s', (version, classification, expiresAt) => {
  expect(catalogueOf(profile({ kubernetes: { versions: [version] } }), NOW).versions).toEqual([
    { version: version.version, classification, expiresAt },
  ])
})

test('machine types that are retired are not usable', () => {
  const type = (name: string, more: object = {}) => ({ name, cpu: '1', gpu: '0', memory: '1Gi', ...more })
  const machineTypes = [type('a'), type('b', { usable: false })]
  const offered = catalogueOf(profile({ machineTypes }), NOW).machineTypes
  expect(offered.map(({ name, isUsable }) => [name, isUsable])).toEqual([
    ['a', true],
    ['b', false],
  ])
})
