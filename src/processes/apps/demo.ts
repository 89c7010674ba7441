import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { loginStore } from '../../identity/index.ts'
import { LOCAL_ADMIN } from '../shared/local-login.ts'
import type { Pool } from '../../store/index.ts'
import type { Apps } from '../../domains/apps/usecases/index.ts'

const CHARTS = join(import.meta.dirname, '../../../charts')

const PRODUCTS = [
  {
    chart: 'hello-static',
    name: 'Hello',
    description: 'A page with a message of your own. Order another one, or change the message of this one.',
    order: {
      domainname: 'hello.caelus.localhost',
      userValues: { message: 'Hello from the demo: change me in the console' },
    },
  },
  {
    chart: 'status-page',
    name: 'Status page',
    description: 'A page that says that everything is well. There is nothing to choose but where it is reached.',
  },
  {
    chart: 'ledger',
    name: 'Ledger',
    description: 'A book of entries on a volume of its own, with a password that is never shown again.',
  },
] as const

/**
 * Creates the products of the built-in example, their templates and one order. Existing ones are left
 * unchanged.
 */
export async function orderDemo(apps: Apps, pool: Pool): Promise<void> {
  const profile = { subject: `dev#${LOCAL_ADMIN}`, email: LOCAL_ADMIN, isVerified: true, role: 'admin' } as const
  const user = await loginStore(pool).signIn(profile)
  if (user === undefined) throw new Error(`failed to order the demo: ${LOCAL_ADMIN} logs in another way`)
  const actor = { userId: user.id, admin: true }
  const { items } = await apps.listProducts(actor, { limit: 1 })
  if (items.length > 0) return
  for (const { chart, name, description, ...rest } of PRODUCTS) {
    const chartRef = join(CHARTS, chart)
    const { version } = parse(await readFile(join(chartRef, 'Chart.yaml'), 'utf8')) as { version: string }
    const product = await apps.createProduct(actor, { name, description })
    const { id: templateId } = await apps.publishTemplate(actor, {
      productId: product.id,
      chartRef,
      chartVersion: version,
      canonical: true,
      healthTimeoutSec: 120,
    })
    if ('order' in rest) await apps.createDeployment(actor, { userId: user.id, templateId, ...rest.order })
  }
}
