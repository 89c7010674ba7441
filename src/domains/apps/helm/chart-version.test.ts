import { expect, test } from 'vitest'
import { compareVersions } from './chart-version.ts'

const ASCENDING = [
  'latest',
  '0.9.10',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  'v1.0.1',
  '1.2.0',
  '1.10.0',
  '2',
  '10.0.0',
  '10.0.99999999999999999999',
]

test('every version is older than those after it, and equal to itself', () => {
  ASCENDING.forEach((a, i) =>
    ASCENDING.forEach((b, j) => expect([a, b, Math.sign(compareVersions(a, b))]).toEqual([a, b, Math.sign(i - j)])),
  )
})

test('builds of one version are not told apart', () => {
  expect(compareVersions('1.2.3+a', '1.2.3+b')).toBe(0)
  expect(compareVersions('v1.2', '1.2.0')).toBe(0)
})
