import { expect, test } from 'vitest'
import { CATALOGUE, type BinaryName } from './catalogue.ts'
import { releaseOf } from './releases.ts'
import { parseVersion } from './version.ts'

const NAMES = Object.keys(CATALOGUE) as BinaryName[]
const RELEASED = NAMES.filter((name) => CATALOGUE[name].module !== 'gardener')

test('binaries come from the hosts of their projects', () => {
  expect(releaseOf('kube-apiserver', 'linux', 'x64')).toMatchObject({
    host: 'dl.k8s.io',
    path: '/v1.35.4/kubernetes-server-linux-amd64.tar.gz',
    member: 'kubernetes/server/bin/kube-apiserver',
  })
  expect(releaseOf('etcd', 'linux', 'arm64')).toMatchObject({
    host: 'github.com',
    path: '/etcd-io/etcd/releases/download/v3.6.6/etcd-v3.6.6-linux-arm64.tar.gz',
    member: 'etcd-v3.6.6-linux-arm64/etcd',
  })
  expect(releaseOf('helm', 'linux', 'x64')).toMatchObject({ host: 'get.helm.sh', member: 'linux-amd64/helm' })
})

test.each(['x64', 'arm64'] as const)('every released binary has a pinned release that fits for Linux on %s', (arch) => {
  for (const name of RELEASED) {
    const { checksum = '', version = '' } = releaseOf(name, 'linux', arch) ?? {}
    expect(checksum).toMatch(/^([0-9a-f]{64}|[0-9a-f]{128})$/)
    const parsed = parseVersion(version)
    expect(parsed && CATALOGUE[name].fits(parsed)).toBe(true)
  }
})

test('Gardener publishes no binaries', () => {
  expect(releaseOf('gardener-apiserver', 'linux', 'x64')).toBeUndefined()
})

test('there is no release for a platform without servers', () => {
  for (const name of NAMES) {
    expect(releaseOf(name, 'darwin', 'arm64')).toBeUndefined()
    expect(releaseOf(name, 'linux', 'riscv64')).toBeUndefined()
  }
})
