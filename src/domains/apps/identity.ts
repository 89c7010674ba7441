import { domainToASCII } from 'node:url'
import type { Random } from '../../kernel/index.ts'
import type { FieldProblem } from './types.ts'

/** Helm's limit for the name of a release; a namespace could have 63. */
const MAX_UID = 53
const SUFFIX = 6
const MAX_BASE = MAX_UID - SUFFIX - 1

/** Lower case, every run of other characters one `-`, none at the ends. */
export const slug = (text: string): string => trimDashes(text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'))

const trimDashes = (text: string): string => text.replaceAll(/^-+|-+$/g, '')

/**
 * `{product}-{user}-{suffix}`, at most 53 characters: namespace and release carry it unchanged for ever.
 *
 * Without a readable user it would name the product alone, as if it were the product's own; such a base becomes `dep`.
 * Not unique by itself: the caller draws again when the row is refused.
 */
export function deploymentUid(of: { readonly productName: string; readonly email: string }, random: Random): string {
  const [product, user] = [slug(of.productName), slug(of.email)]
  const base = user === '' ? '' : trimDashes(`${product}-${user}`).slice(0, MAX_BASE)
  return `${trimDashes(base) || 'dep'}-${suffix(random)}`
}

const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz'

const suffix = (random: Random): string =>
  Array.from({ length: SUFFIX }, () => BASE36[Math.floor(random() * BASE36.length)]).join('')

export type DomainAnswer =
  | { readonly domain: string; readonly problem?: undefined }
  | { readonly problem: FieldProblem; readonly domain?: undefined }

/** The form in which a domain is stored (lower case, RFC 1123, no dot at the end), or what is wrong with it. */
export function normaliseDomain(written: string, fieldName = 'domainname'): DomainAnswer {
  const domain = written.trim().toLowerCase().replace(/\.$/, '')
  const message = domainProblem(domain)
  return message === undefined ? { domain } : { problem: { field: fieldName, message } }
}

function domainProblem(domain: string): string | undefined {
  if (domain === '') return 'must not be empty; write a domain such as shop.example.com'
  if (domain.includes('://') || /[/?#@]/.test(domain)) return 'must be a domain alone, without scheme, user or path'
  if (domain.includes(':')) return 'must be a domain alone, without a port'
  if (domain.includes('*')) return 'must name one host; wildcards are not possible'
  if (/[^\u0020-\u007e]/.test(domain)) {
    const ascii = domainToASCII(domain)
    return `must be written in ASCII${ascii === '' ? '' : `: ${ascii}`}`
  }
  if (domain.length > 253) return `must have at most 253 characters; it has ${domain.length}`
  const labels = domain.split('.')
  if (labels.length < 2) return 'must have at least two parts, such as shop.example.com'
  for (const label of labels) {
    const problem = labelProblem(label)
    if (problem !== undefined) return problem
  }
  if (/^\d+$/.test(labels.at(-1) ?? '')) return 'must be a domain, not an address: its last part is a number'
  return undefined
}

function labelProblem(label: string): string | undefined {
  if (label === '') return 'must not have an empty part between two dots'
  if (label.length > 63) return `part "${label}" must have at most 63 characters; it has ${label.length}`
  if (!/^[a-z0-9-]+$/.test(label)) return `part "${label}" may hold letters, digits and hyphens only`
  if (label.startsWith('-') || label.endsWith('-')) return `part "${label}" must not begin or end with a hyphen`
  return undefined
}
