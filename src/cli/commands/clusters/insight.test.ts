import { expect, test } from 'vitest'
import type { Cluster } from './cluster.ts'
import { versionsText } from './insight.ts'

const shoot: Cluster['shoot'] = {
  namespace: 'garden-p1',
  name: 's1',
  kubernetes_version: '1.34.3',
  hibernated: false,
  operation: null,
  conditions: [],
  errors: [],
  rotation: {},
}

test('versions: upgrades of what is there, and any order for what is not', () => {
  const upgrade = { version: '1.35.4', kind: 'minor', classification: 'supported', expires_at: null, changes: ['x'] }
  expect(versionsText({ shoot }, { current: '1.34.3', upgrades: [upgrade] })).toMatch(
    /^current version: 1\.34\.3\nVERSION .*\n1\.35\.4 +minor/,
  )
  expect(versionsText({ shoot }, { current: '1.34.3', upgrades: [] })).toBe('no upgrade from 1.34.3 is offered\n')
  expect(versionsText({ shoot: null }, { current: '1.99', upgrades: [] })).toBe(
    '1.99 is ordered; while there is no Shoot, update-cluster takes any version that list-regions shows\n',
  )
})
