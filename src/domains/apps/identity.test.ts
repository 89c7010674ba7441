import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../kernel/index.ts'
import { deploymentUid, normaliseDomain, slug } from './identity.ts'

const uid = (productName: string, email: string): string => deploymentUid({ productName, email }, seededRandom(1))

describe('deploymentUid', () => {
  it.each([
    ['Hello Static', 'Alice@Example.com', /^hello-static-alice-example-com-[0-9a-z]{6}$/],
    ['Hello -- Static!', 'a..b@c', /^hello-static-a-b-c-[0-9a-z]{6}$/],
    ['Hello', '+++@***', /^dep-[0-9a-z]{6}$/],
    ['***', '@', /^dep-[0-9a-z]{6}$/],
    ['***', 'bob@x', /^bob-x-[0-9a-z]{6}$/],
  ])('names %s for %s', (product, email, expected) => {
    expect(uid(product, email)).toMatch(expected)
  })

  it('cuts the base where a hyphen would be left over', () => {
    const name = uid('a'.repeat(45), 'bob@example.com')
    expect(name).toMatch(/^a{45}-[0-9a-z]{6}$/)
  })

  it('is always a name that Helm and Kubernetes take', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.integer(), (productName, email, seed) => {
        const name = deploymentUid({ productName, email }, seededRandom(seed))
        expect(name.length).toBeLessThanOrEqual(53)
        expect(name).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)
        expect(name).not.toContain('--')
      }),
    )
  })

  it('slugs to nothing when nothing is readable', () => expect(slug('¡§¶!')).toBe(''))
})

describe('normaliseDomain', () => {
  it.each([
    ['Shop.Example.COM', 'shop.example.com'],
    [' shop.example.com. ', 'shop.example.com'],
    ['xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
    ['1.example', '1.example'],
  ])('stores %j as %s', (written, domain) => expect(normaliseDomain(written)).toEqual({ domain }))

  it.each([
    ['', 'must not be empty; write a domain such as shop.example.com'],
    ['https://shop.example.com', 'must be a domain alone, without scheme, user or path'],
    ['shop.example.com:8080', 'must be a domain alone, without a port'],
    ['*.example.com', 'must name one host; wildcards are not possible'],
    ['münchen.example', 'must be written in ASCII: xn--mnchen-3ya.example'],
    ['localhost', 'must have at least two parts, such as shop.example.com'],
    ['shop..example.com', 'must not have an empty part between two dots'],
    ['my_shop.example.com', 'part "my_shop" may hold letters, digits and hyphens only'],
    ['-shop.example.com', 'part "-shop" must not begin or end with a hyphen'],
    ['10.0.0.1', 'must be a domain, not an address: its last part is a number'],
    [`${'a'.repeat(64)}.example`, `part "${'a'.repeat(64)}" must have at most 63 characters; it has 64`],
    [`${'a.'.repeat(126)}aa`, 'must have at most 253 characters; it has 254'],
  ])('refuses %j', (written, message) => {
    expect(normaliseDomain(written)).toEqual({ problem: { field: 'domainname', message } })
  })
})
