import type { DeploymentView } from '../../lib/api/contract.ts'

/** The stream's word for everything here: each query that begins with it is live. */
export const TOPIC = 'apps'

type Ref = Pick<DeploymentView, 'id' | 'user_id'>

const part = encodeURIComponent

/** Where the API keeps things. */
export const api = {
  deployments: (userId: string): string => `/users/${part(userId)}/deployments`,
  deployment: ({ user_id, id }: Ref): string => `/users/${part(user_id)}/deployments/${part(id)}`,
  product: (id: string): string => `/products/${part(id)}`,
  templates: (productId: string): string => `/products/${part(productId)}/templates`,
  template: (productId: string, id: string): string => `/products/${part(productId)}/templates/${part(id)}`,
  canonical: (productId: string): string => `/products/${part(productId)}/template`,
  form: (templateId: string): string => `/templates/${part(templateId)}/form`,
  user: (id: string): string => `/users/${part(id)}`,
  limit: (userId: string): string => `/users/${part(userId)}/deployment-limit`,
  chartSource: (host: string): string => `/chart-sources/${part(host)}`,
  job: (id: string): string => `/reconcile-jobs/${part(id)}`,
}

/** What a browser saves as a file. */
export const download = (ref: Ref, what: 'manifest' | 'values'): string => `/api/v1${api.deployment(ref)}/${what}`

/** Where the console shows them. */
export const pages = {
  mine: '/apps',
  catalogue: '/apps/catalogue',
  all: '/apps/all',
  products: '/apps/products',
  sources: '/apps/sources',
  queue: '/apps/queue',
  product: (id: string): string => `/apps/catalogue/${part(id)}`,
  order: (productId: string): string => `/apps/catalogue/${part(productId)}/order`,
  productAdmin: (id: string): string => `/apps/products/${part(id)}`,
  publish: (productId: string): string => `/apps/products/${part(productId)}/publish`,
  deployment: ({ user_id, id }: Ref): string => `/apps/users/${part(user_id)}/deployments/${part(id)}`,
  edit: (ref: Ref): string => `${pages.deployment(ref)}/edit`,
}
