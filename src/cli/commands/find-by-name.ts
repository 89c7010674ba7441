import { nearest } from '../../kernel/index.ts'
import { allPages, type RestClient } from '../client.ts'
import { raise } from '../failures.ts'
import type { Deployment } from './apps/wait.ts'

/*
 * People say what they see: a name, a domain, an email. Paths of the API have ids. An id is taken as it is; for anything
 * else the server is asked who is called so.
 */

/** What help says of an argument. */
export const NAMED = {
  deployment: 'its name, domain or id, as list-deployments shows it',
  product: 'its name or id, as list-products shows it',
  template: 'its label, chart version or id, as list-templates shows it',
  user: 'their email or id, as list-users shows it',
  organization: 'its name or id, as list-organizations shows it',
  member: 'their email or id, as list-members shows it',
} as const

const NO_SUCH = {
  deployment: raise.NoSuchDeployment,
  product: raise.NoSuchProduct,
  template: raise.NoSuchTemplate,
  user: raise.NoSuchUser,
  organization: raise.NoSuchOrganization,
  member: raise.NoSuchMember,
} as const

interface Me {
  readonly id: string
  readonly email: string
  readonly role: string
}

interface Template {
  readonly id: string
  readonly version_label: string | null
  readonly chart_version: string
}

/** How many of a long list are looked through for what was probably meant. */
const LOOKED_THROUGH = '200'

export const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** The only one of those that are called so. `known`: names that may have been meant if nothing is. */
export function onlyOne<T extends { readonly id: string }>(
  kind: keyof typeof NAMED,
  named: string,
  found: readonly T[],
  known: readonly string[],
): T {
  const [one, ...others] = found
  if (others.length > 0) {
    const ids = found.map(({ id }) => id).join(', ')
    throw raise.NameAmbiguous(`${found.length} ${kind}s are called "${named}": ${ids}`)
  }
  if (one !== undefined) return one
  const meant = nearest(named, known)
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`
  throw NO_SUCH[kind](`there is no ${kind} called "${named}"${hint}`)
}

export const templatePath = (productId: string, templateId?: string): string =>
  `/products/${encodeURIComponent(productId)}/templates${templateId === undefined ? '' : `/${encodeURIComponent(templateId)}`}`

/** One that is deleted is found by its name too, unless one that lives has it now. */
export async function deploymentNamed(client: RestClient, named: string): Promise<Deployment> {
  if (isId(named)) return await client.get(`/deployments/${named}`)
  const { id: me, role } = await client.get<Me>('/me')
  const path = role === 'admin' ? '/deployments' : `/users/${encodeURIComponent(me)}/deployments`
  const living = await allPages<Deployment>(client, path, { name: named })
  const found =
    living.length > 0 ? living : await allPages<Deployment>(client, path, { name: named, with_deleted: 'true' })
  const known = found.length > 0 ? [] : await firstOf<Deployment>(client, path)
  return onlyOne(
    'deployment',
    named,
    found,
    known.flatMap(({ deployment_uid, domainname }) => [deployment_uid, domainname]),
  )
}

/** The id of a user; without a name, of the caller. Members see only themselves. */
export async function userNamed(client: RestClient, named?: string): Promise<string> {
  if (named !== undefined && isId(named)) return named
  const me = await client.get<Me>('/me')
  if (named === undefined || isSame(named, me.email)) return me.id
  const found = await allPages<Me>(client, '/users', { email: named })
  const known = found.length > 0 ? [] : await firstOf<Me>(client, '/users')
  return onlyOne(
    'user',
    named,
    found,
    known.map(({ email }) => email),
  ).id
}

/** The id of a product. Products are few, so all of them are looked through. */
export async function productNamed(client: RestClient, named: string): Promise<string> {
  if (isId(named)) return named
  const all = await allPages<{ readonly id: string; readonly name: string }>(client, '/products')
  return onlyOne(
    'product',
    named,
    all.filter(({ name }) => isSame(name, named)),
    all.map(({ name }) => name),
  ).id
}

/** The id of a template of a product. A version alone may mean several, which differ in values or schema. */
export async function templateNamed(client: RestClient, productId: string, named: string): Promise<string> {
  if (isId(named)) return named
  const namesOf = ({ version_label, chart_version }: Template): string[] => [version_label ?? [], chart_version].flat()
  const all = await allPages<Template>(client, templatePath(productId))
  return onlyOne(
    'template',
    named,
    all.filter((one) => namesOf(one).some((name) => isSame(name, named))),
    all.flatMap(namesOf),
  ).id
}

const firstOf = async <T>(client: RestClient, path: string): Promise<readonly T[]> =>
  (await client.get<{ readonly items: readonly T[] }>(path, { limit: LOOKED_THROUGH })).items
