import {
  isId,
  isStorable,
  type Listed,
  listed,
  msOf,
  msOrNull,
  notOurs,
  type PageOptions,
  type Runner,
  type Tx,
} from '../../../store/index.ts'
import type { Product } from '../types.ts'

interface ProductRow {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly template_id: string | null
  readonly icon: string | null
  readonly generation: string
  readonly created_at: Date
  readonly deleted_at: Date | null
}

const COLUMNS = 'id, name, description, template_id, icon, generation, created_at, deleted_at'

const productOf = (row: ProductRow): Product => ({
  id: row.id,
  name: row.name,
  description: row.description,
  templateId: row.template_id,
  icon: row.icon,
  generation: Number(row.generation),
  createdAt: msOf(row.created_at),
  deletedAt: msOrNull(row.deleted_at),
})

/** Those that are deleted are not found. */
export async function findProduct(on: Runner, id: string): Promise<Product | undefined> {
  if (!isId(id)) return undefined
  const [row] = await on.query<ProductRow>(
    `select ${COLUMNS} from caelus.product where id = $1 and deleted_at is null`,
    [id],
  )
  return row && productOf(row)
}

/** Serializes changes of a product and its templates. */
export async function lockProduct(tx: Tx, id: string): Promise<Product | undefined> {
  if (!isId(id)) return undefined
  const [row] = await tx.query<ProductRow>(
    `select ${COLUMNS} from caelus.product where id = $1 and deleted_at is null for no key update`,
    [id],
  )
  return row && productOf(row)
}

export async function listProducts(on: Runner, { limit, after }: PageOptions): Promise<Listed<Product>> {
  if (after !== undefined && !(isStorable(after[0] ?? '') && isId(after[1] ?? ''))) throw notOurs()
  const rows = await on.query<ProductRow>(
    `select ${COLUMNS} from caelus.product
     where deleted_at is null and ($2::text is null or (lower(name), id) > (lower($2), $3::uuid))
     order by lower(name), id limit $1`,
    [limit + 1, after?.[0] ?? null, after?.[1] ?? null],
  )
  return listed(rows.map(productOf), limit, ({ name, id }) => [name, id])
}

type Described = Pick<Product, 'name' | 'description' | 'icon'>

export async function insertProduct(tx: Tx, { name, description, icon }: Described): Promise<Product> {
  const [row] = await tx.query<ProductRow>(
    `insert into caelus.product (name, description, icon) values ($1, $2, $3) returning ${COLUMNS}`,
    [name, description, icon],
  )
  return productOf(row as ProductRow)
}

export async function changeProduct(
  tx: Tx,
  { id, name, description, icon, templateId }: Described & Pick<Product, 'id' | 'templateId'>,
): Promise<Product> {
  const [row] = await tx.query<ProductRow>(
    `update caelus.product set name = $2, description = $3, icon = $4, template_id = $5 where id = $1 returning ${COLUMNS}`,
    [id, name, description, icon, templateId],
  )
  return productOf(row as ProductRow)
}

export async function removeProduct(tx: Tx, id: string): Promise<void> {
  await tx.query('update caelus.product set deleted_at = now() where id = $1', [id])
}
