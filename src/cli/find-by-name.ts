import { nearest, type FailureError } from '../kernel/index.ts'
import type { RestClient } from './client.ts'
import { raise } from './failures.ts'

/*
 * People write what they see: a name, a domain, an email. Paths of the API have ids. An id is used as it is; for anything
 * else the server is asked which object has the name.
 */

/** A kind of objects that arguments name. */
export interface Noun {
  readonly name: string
  /** What help says of an argument that names one. */
  readonly named: string
  readonly noSuch: (message: string) => FailureError
}

export const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

export const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** The only one of those with the name. `known`: names that may have been meant if there is none. */
export function onlyOne<T extends { readonly id: string }>(
  noun: Noun,
  named: string,
  found: readonly T[],
  known: readonly string[],
): T {
  const [one, ...others] = found
  if (others.length > 0) {
    const ids = found.map(({ id }) => id).join(', ')
    throw raise.NameAmbiguous(`${found.length} ${noun.name}s are called "${named}": ${ids}`)
  }
  if (one !== undefined) return one
  const meant = nearest(named, known)
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`
  throw noun.noSuch(`there is no ${noun.name} called "${named}"${hint}`)
}

/** How many of a long list are searched for the name that was probably meant. */
const MOST_SEARCHED = '200'

export const firstOf = async <T>(client: RestClient, path: string): Promise<readonly T[]> =>
  (await client.get<{ readonly items: readonly T[] }>(path, { limit: MOST_SEARCHED })).items
