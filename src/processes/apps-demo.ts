import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { userStore } from '../api/index.ts'
import { LOCAL_ADMIN } from './local-login.ts'
import type { Serving } from './serve.ts'

const CHART = join(import.meta.dirname, '../../charts/hello-static')

/** The product, its template and one order of the built-in example. What is there already is left as it is. */
export async function orderDemo({ room: { apps }, pool }: Serving): Promise<void> {
  const user = await userStore(pool).signIn({ subject: `dev#${LOCAL_ADMIN}`, email: LOCAL_ADMIN, role: 'admin' })
  if (user === undefined) throw new Error(`failed to order the demo: ${LOCAL_ADMIN} logs in another way`)
  const actor = { userId: user.id, admin: true }
  const { items } = await apps.listProducts(actor, { limit: 1 })
  if (items.length > 0) return
  const { version } = parse(await readFile(join(CHART, 'Chart.yaml'), 'utf8')) as { version: string }
  const product = await apps.createProduct(actor, {
    name: 'Hello',
    description: 'A page with a message of your own. Order another one, or change the message of this one.',
  })
  const template = await apps.publishTemplate(actor, {
    productId: product.id,
    chartRef: CHART,
    chartVersion: version,
    canonical: true,
    healthTimeoutSec: 120,
  })
  await apps.createDeployment(actor, {
    userId: user.id,
    templateId: template.id,
    domainname: 'hello.caelus.localhost',
    userValues: { message: 'Hello from the demo: change me in the console' },
  })
}
