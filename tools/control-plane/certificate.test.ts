import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { createAuthority } from './certificate.ts'

const now = new Date('2026-03-01T00:00:00Z')
const authority = createAuthority('authority', now)
const root = new X509Certificate(authority.certified.cert)

test('an authority vouches for itself and may sign', () => {
  expect(root.ca).toBe(true)
  expect(root.verify(root.publicKey)).toBe(true)
})

test('a server certificate names its hosts and addresses', () => {
  const leaf = new X509Certificate(
    authority.issue({ commonName: 'server', usage: ['server'], names: ['localhost', '127.0.0.1'] }).cert,
  )
  expect(leaf.verify(root.publicKey)).toBe(true)
  expect(leaf.checkIssued(root)).toBe(true)
  expect(leaf.ca).toBe(false)
  expect(leaf.checkHost('localhost')).toBe('localhost')
  expect(leaf.checkIP('127.0.0.1')).toBe('127.0.0.1')
  expect(leaf.checkIP('127.0.0.2')).toBeUndefined()
  expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
})

test('a client certificate carries user and group', () => {
  const leaf = new X509Certificate(
    authority.issue({ commonName: 'ada', organization: 'system:masters', usage: ['client'] }).cert,
  )
  expect(leaf.subject).toBe('O=system:masters\nCN=ada')
})

test('one authority does not vouch for the certificates of another', () => {
  const other = createAuthority('authority', now)
  expect(new X509Certificate(other.issue({ commonName: 'x', usage: ['client'] }).cert).verify(root.publicKey)).toBe(
    false,
  )
})

test('an authority may have a key that readers of RSA alone understand', () => {
  const ofRsa = createAuthority('authority', now, 'rsa')
  const rsa = new X509Certificate(ofRsa.certified.cert)
  expect(ofRsa.certified.key).toMatch(/^-----BEGIN RSA PRIVATE KEY-----/)
  expect(rsa.verify(rsa.publicKey)).toBe(true)
  const leaf = new X509Certificate(ofRsa.issue({ commonName: 'ada', usage: ['client'] }).cert)
  expect(leaf.verify(rsa.publicKey)).toBe(true)
})

test('validity begins an hour early, for clocks that disagree', () => {
  expect(root.validFromDate).toEqual(new Date('2026-02-28T23:00:00Z'))
  expect(root.validToDate).toEqual(new Date('2036-02-27T00:00:00Z'))
})
