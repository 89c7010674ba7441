import type { Problem } from '../../lib/api/contract.ts'

export interface Refusals {
  /** By pointer into the form. */
  readonly fields: ReadonlyMap<string, string>
  /** By the name of a plain input, such as `domainname`. */
  readonly plain: ReadonlyMap<string, string>
}

const ROOTS = /^(?:user_values|user)(?=\/|$)/

/** Sorts what the server refused by where it belongs on the screen. The API writes pointers or dotted paths. */
export function refusalsOf({ errors = [] }: Pick<Problem, 'errors'>): Refusals {
  const fields = new Map<string, string>()
  const plain = new Map<string, string>()
  for (const { field, message } of errors) {
    const pointer = field.startsWith('/') ? field.slice(1) : field.replaceAll(/\[(\d+)\]/g, '/$1').replaceAll('.', '/')
    if (ROOTS.test(pointer)) fields.set(pointer.replace(ROOTS, ''), message)
    else plain.set(pointer, message)
  }
  return { fields, plain }
}
