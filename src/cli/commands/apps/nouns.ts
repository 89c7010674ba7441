import { allPages, type RestClient } from '../../client.ts'
import { firstOf, isId, isSame, onlyOne, type Noun } from '../../find-by-name.ts'
import { defineFailures } from '../../../kernel/index.ts'
import type { Me } from '../identity/nouns.ts'
import type { Deployment } from './wait.ts'

const raise = defineFailures({
  NoSuchDeployment: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Name it as `caelus list-deployments` shows it; with --all it shows those of all users to admins.',
  },
  NoSuchProduct: { whoseMove: 'user', retryable: false, nextStep: 'Name it as `caelus list-products` shows it.' },
  NoSuchTemplate: { whoseMove: 'user', retryable: false, nextStep: 'Name it as `caelus list-templates` shows it.' },
})

export const DEPLOYMENT: Noun = {
  name: 'deployment',
  named: 'its name, domain or id, as list-deployments shows it',
  noSuch: raise.NoSuchDeployment,
}

export const PRODUCT: Noun = {
  name: 'product',
  named: 'its name or id, as list-products shows it',
  noSuch: raise.NoSuchProduct,
}

export const TEMPLATE: Noun = {
  name: 'template',
  named: 'its label, chart version or id, as list-templates shows it',
  noSuch: raise.NoSuchTemplate,
}

interface Template {
  readonly id: string
  readonly version_label: string | null
  readonly chart_version: string
}

export const templatePath = (productId: string, templateId?: string): string =>
  `/products/${encodeURIComponent(productId)}/templates${templateId === undefined ? '' : `/${encodeURIComponent(templateId)}`}`

/** A deleted one is found by its name too, unless a living one has the name now. */
export async function deploymentNamed(client: RestClient, named: string): Promise<Deployment> {
  if (isId(named)) return await client.get(`/deployments/${named}`)
  const { id: me, role } = await client.get<Me>('/me')
  const path = role === 'admin' ? '/deployments' : `/users/${encodeURIComponent(me)}/deployments`
  const living = await allPages<Deployment>(client, path, { name: named })
  const found =
    living.length > 0 ? living : await allPages<Deployment>(client, path, { name: named, with_deleted: 'true' })
  const known = found.length > 0 ? [] : await firstOf<Deployment>(client, path)
  return onlyOne(
    DEPLOYMENT,
    named,
    found,
    known.flatMap(({ deployment_uid, domainname }) => [deployment_uid, domainname]),
  )
}

/** The id of a product. Products are few, so all of them are searched. */
export async function productNamed(client: RestClient, named: string): Promise<string> {
  if (isId(named)) return named
  const all = await allPages<{ readonly id: string; readonly name: string }>(client, '/products')
  return onlyOne(
    PRODUCT,
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
    TEMPLATE,
    named,
    all.filter((one) => namesOf(one).some((name) => isSame(name, named))),
    all.flatMap(namesOf),
  ).id
}

/** Where a template is, or all of a product. */
export async function pathOfTemplate(client: RestClient, product: string, template?: string): Promise<string> {
  const productId = await productNamed(client, product)
  if (template === undefined) return templatePath(productId)
  return templatePath(productId, await templateNamed(client, productId, template))
}
