import { expect, test } from 'vitest'
import { CATALOGUE, type BinaryName } from './catalogue.ts'
import { checksumIn, releaseOf } from './releases.ts'

const SUM = 'a'.repeat(64)
const OTHER = 'b'.repeat(64)

test('binaries come from the hosts of their projects', () => {
  expect(releaseOf('kube-apiserver', 'linux', 'x64')).toEqual({
    host: 'dl.k8s.io',
    path: '/release/v1.35.4/bin/linux/amd64/kube-apiserver',
    checksums: '/release/v1.35.4/bin/linux/amd64/kube-apiserver.sha256',
  })
  expect(releaseOf('etcd', 'linux', 'arm64')).toEqual({
    host: 'github.com',
    path: '/etcd-io/etcd/releases/download/v3.6.6/etcd-v3.6.6-linux-arm64.tar.gz',
    checksums: '/etcd-io/etcd/releases/download/v3.6.6/SHA256SUMS',
    member: 'etcd-v3.6.6-linux-arm64/etcd',
  })
  expect(releaseOf('helm', 'linux', 'x64')).toMatchObject({ host: 'get.helm.sh', member: 'linux-amd64/helm' })
})

test('every binary has a release for Linux, and none for a platform without servers', () => {
  for (const name of Object.keys(CATALOGUE) as BinaryName[]) {
    expect(releaseOf(name, 'linux', 'x64')).toBeDefined()
    expect(releaseOf(name, 'darwin', 'arm64')).toBeUndefined()
    expect(releaseOf(name, 'linux', 'riscv64')).toBeUndefined()
  }
})

test.each([
  ['a sum alone', `${SUM}\n`, SUM],
  ['a sum without a line end, in capitals', SUM.toUpperCase(), SUM],
  ['the line of the file among others', `${OTHER}  other.tar.gz\n${SUM}  file.tar.gz\n`, SUM],
  ['a line of sha256sum -b', `${SUM} *file.tar.gz\n`, SUM],
  ['only lines of other files', `${OTHER}  other.tar.gz\n`, undefined],
  ['no sum', '<html>not found</html>', undefined],
  ['a sum that is too short', 'abc  file.tar.gz', undefined],
])('the checksum is found in %s', (_, text, expected) => {
  expect(checksumIn(text, 'file.tar.gz')).toBe(expected)
})
