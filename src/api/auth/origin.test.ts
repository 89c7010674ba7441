import { expect, test } from 'vitest'
import { isLoopbackAddress, isLoopbackHost, siteOf } from './origin.ts'

const own = ['http://127.0.0.1:8080']

test.each([
  [{ 'sec-fetch-site': 'same-origin' }, 'same'],
  [{ 'sec-fetch-site': 'cross-site' }, 'other'],
  [{ 'sec-fetch-site': 'same-site' }, 'other'],
  [{ 'sec-fetch-site': 'none' }, 'other'],
  [{ 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1:8080' }, 'other'],
  [{ origin: 'http://127.0.0.1:8080' }, 'same'],
  [{ origin: 'http://127.0.0.1:8081' }, 'other'],
  [{ origin: 'null' }, 'other'],
  [{}, 'untold'],
] as const)('%j is a request from the %s site', (headers, site) => expect(siteOf(headers, own)).toBe(site))

test.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('%s is loopback', (address) =>
  expect(isLoopbackAddress(address)).toBe(true),
)
test.each(['10.0.0.1', '::ffff:10.0.0.1', '1127.0.0.1', undefined])('%s is not', (address) =>
  expect(isLoopbackAddress(address)).toBe(false),
)

test.each(['localhost', 'localhost:8080', '127.0.0.1:1', '[::1]:80'])('Host %s is loopback', (host) =>
  expect(isLoopbackHost(host)).toBe(true),
)
test.each(['localhost.evil.test', '127.0.0.1.evil.test', 'evil.test:8080', '', undefined])('Host %s is not', (host) =>
  expect(isLoopbackHost(host)).toBe(false),
)
