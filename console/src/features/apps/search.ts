import type { ProductView } from '../../lib/api/contract.ts'

/** Every word has to occur somewhere in name or description. */
export function isFound({ name, description }: Pick<ProductView, 'name' | 'description'>, query: string): boolean {
  const text = `${name} ${description ?? ''}`.toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
