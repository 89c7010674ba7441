/** What is wrong with a domain as it is typed; undefined when nothing is. The API decides in the same words. */
export function domainProblem(typed: string): string | undefined {
  const domain = typed.trim().toLowerCase().replace(/\.$/, '')
  if (domain === '') return 'must not be empty; write a domain such as shop.example.com'
  if (/[/?#@]/.test(domain)) return 'must be a domain alone, without scheme, user or path'
  if (domain.includes(':')) return 'must be a domain alone, without a port'
  if (domain.includes('*')) return 'must name one host; wildcards are not possible'
  if (/[^\u0020-\u007e]/.test(domain)) return 'must be written in ASCII'
  if (domain.length > 253) return `must have at most 253 characters; it has ${domain.length}`
  const labels = domain.split('.')
  if (labels.length < 2) return 'must have at least two parts, such as shop.example.com'
  const problem = labels.map(labelProblem).find((message) => message !== undefined)
  if (problem !== undefined) return problem
  return /^\d+$/.test(labels.at(-1) ?? '') ? 'must be a domain, not an address: its last part is a number' : undefined
}

function labelProblem(label: string): string | undefined {
  if (label === '') return 'must not have an empty part between two dots'
  if (label.length > 63) return `part "${label}" must have at most 63 characters; it has ${label.length}`
  if (!/^[a-z0-9-]+$/.test(label)) return `part "${label}" may hold letters, digits and hyphens only`
  if (label.startsWith('-') || label.endsWith('-')) return `part "${label}" must not begin or end with a hyphen`
  return undefined
}
