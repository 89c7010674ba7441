import { expect, test } from 'vitest'
import { CATALOGUE } from './catalogue.ts'
import type { BinaryName } from './catalogue.ts'
import { parseVersion } from './version.ts'

test.each([
  ['etcd Version: 3.6.6\nGit SHA: abc\nGo Version: go1.26.8', { major: 3, minor: 6, patch: 6 }],
  ['Kubernetes v1.35.4', { major: 1, minor: 35, patch: 4 }],
  ['kwok version v0.7.0 go1.26.8 (linux/amd64)', { major: 0, minor: 7, patch: 0 }],
  ['v4.3', { major: 4, minor: 3, patch: 0 }],
  ['Client Version: v1.36.3\nKustomize Version: v5.7.1', { major: 1, minor: 36, patch: 3 }],
  ['command not understood', undefined],
])('%j is read as %j', (text, version) => {
  expect(parseVersion(text)).toEqual(version)
})

test.each<[BinaryName, string, boolean]>([
  ['kube-apiserver', '1.35.0', true],
  ['kube-apiserver', '1.34.9', false],
  ['kubectl', '1.36.3', true],
  ['kubectl', '1.37.0', false],
  ['etcd', '3.5.12', false],
  ['etcd', '3.5.21', true],
  ['kwok', '0.6.1', false],
  ['helm', '3.19.0', true],
  ['helm', '2.17.0', false],
  ['gardener-apiserver', '1.150.3', true],
  ['gardener-apiserver', '1.149.0', false],
])('%s %s: fits is %s', (name, version, fits) => {
  expect(CATALOGUE[name].fits(parseVersion(version) ?? { major: 0, minor: 0, patch: 0 })).toBe(fits)
})
