import { RefusedFields } from '../../../kernel/index.ts'
import { asUser, checkGeneration, violates, type Actor, type Precondition } from '../../../store/index.ts'
import { raise } from '../failures.ts'
import type { Listed, PageOptions } from '../../../store/index.ts'
import {
  changeProduct,
  findProduct,
  insertProduct,
  listProducts as listRows,
  lockProduct,
  lockTemplate,
  removeProduct,
} from '../store/index.ts'
import type { Product } from '../types.ts'
import { found, needsAdmin, note, refuseUnstorable } from '../../../store/index.ts'
import type { ProductInput } from './port.ts'
import type { UseCaseDeps } from './deps.ts'

const objectOf = (id: string) => ({ kind: 'Product', id })

export const listProducts = ({ pool }: UseCaseDeps, actor: Actor, page: PageOptions): Promise<Listed<Product>> =>
  asUser(pool, actor, (tx) => listRows(tx, page))

export const getProduct = ({ pool }: UseCaseDeps, actor: Actor, id: string): Promise<Product> =>
  asUser(pool, actor, async (tx) => found(await findProduct(tx, id), 'product', id))

export async function createProduct({ pool }: UseCaseDeps, actor: Actor, input: ProductInput): Promise<Product> {
  needsAdmin(actor, 'create products')
  refuseUnstorable({ ...input })
  const { name, description = null, icon = null } = input
  return await asUser(pool, actor, async (tx) => {
    const product = await insertProduct(tx, { name: named(name), description, icon }).catch(nameTaken(name))
    await note(tx, actor, { action: 'created', object: objectOf(product.id), after: product })
    return product
  })
}

export async function updateProduct(
  { pool }: UseCaseDeps,
  actor: Actor,
  id: string,
  input: Partial<ProductInput>,
  precondition: Precondition = {},
): Promise<Product> {
  needsAdmin(actor, 'change products')
  refuseUnstorable({ ...input })
  return await asUser(pool, actor, async (tx) => {
    const before = found(await lockProduct(tx, id), 'product', id)
    checkGeneration(before.generation, precondition)
    const { name = before.name, description = before.description, icon = before.icon } = input
    const wanted = { ...before, name: named(name), description, icon }
    const product = await changeProduct(tx, wanted).catch(nameTaken(name))
    await note(tx, actor, { action: 'changed', object: objectOf(id), before, after: product })
    return product
  })
}

export async function deleteProduct(
  { pool }: UseCaseDeps,
  actor: Actor,
  id: string,
  precondition: Precondition = {},
): Promise<void> {
  needsAdmin(actor, 'delete products')
  await asUser(pool, actor, async (tx) => {
    const before = found(await lockProduct(tx, id), 'product', id)
    checkGeneration(before.generation, precondition)
    await removeProduct(tx, id)
    await note(tx, actor, { action: 'deleted', object: objectOf(id), before })
  })
}

export async function setCanonicalTemplate(
  { pool }: UseCaseDeps,
  actor: Actor,
  productId: string,
  templateId: string,
  precondition: Precondition = {},
): Promise<Product> {
  needsAdmin(actor, 'choose the template of a product')
  return await asUser(pool, actor, async (tx) => {
    const before = found(await lockProduct(tx, productId), 'product', productId)
    checkGeneration(before.generation, precondition)
    const template = await lockTemplate(tx, templateId)
    if (template?.productId !== productId) {
      throw new RefusedFields([{ field: 'template_id', message: `names no template of ${before.name}` }])
    }
    const product = await changeProduct(tx, { ...before, templateId })
    await note(tx, actor, {
      action: 'chose template',
      object: objectOf(productId),
      before,
      after: product,
      detail: { templateId, chartVersion: template.chartVersion },
    })
    return product
  })
}

function named(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '') throw new RefusedFields([{ field: 'name', message: 'must not be empty' }])
  return trimmed
}

const nameTaken =
  (name: string) =>
  (error: unknown): never => {
    if (!violates(error, 'product_name')) throw error
    const why = raise.NameTaken(`there is a product named ${name} already`)
    throw new RefusedFields([{ field: 'name', message: 'belongs to another product' }], why)
  }
