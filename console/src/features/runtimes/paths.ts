import type { RuntimeSummary } from '../../lib/api/contract.ts'

/** The stream's word for everything here: each query that begins with it is live. */
export const TOPIC = 'runtimes'

export type RuntimeRef = Pick<RuntimeSummary, 'namespace' | 'name'>

const part = encodeURIComponent
const of = ({ namespace, name }: RuntimeRef): string => `${part(namespace)}/${part(name)}`

/** Where the API keeps things. */
export const api = {
  runtimes: '/runtimes',
  runtime: (ref: RuntimeRef): string => `/runtimes/${of(ref)}`,
  preview: '/runtimes:preview',
  applyPackage: '/runtimes:apply-package',
}

/** Where the console shows them. Of a namespace there is no page, so `new` and `package` are nobody's name. */
export const pages = {
  list: '/runtimes',
  create: '/runtimes/new',
  package: '/runtimes/package',
  runtime: (ref: RuntimeRef): string => `/runtimes/${of(ref)}`,
  requirements: (ref: RuntimeRef): string => `${pages.runtime(ref)}/requirements`,
  timeline: (ref: RuntimeRef): string => `${pages.runtime(ref)}/timeline`,
  edit: (ref: RuntimeRef): string => `${pages.runtime(ref)}/edit`,
}
