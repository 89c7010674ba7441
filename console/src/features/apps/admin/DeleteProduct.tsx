import { useLocation } from 'wouter'
import { ConfirmDelete } from '../../../components/delete/ConfirmDelete.tsx'
import type { ProductView } from '../../../lib/api/contract.ts'
import { api, pages } from '../paths.ts'
import { useWrite } from '../use-write.ts'

interface DeleteProductProps {
  readonly product: ProductView
  readonly onClose: () => void
}

export function DeleteProduct({ product: { id, name }, onClose }: DeleteProductProps) {
  const [, go] = useLocation()
  const remove = useWrite<void>(async (client) => {
    await client.delete(api.product(id))
    // Before the topic is read again: this page would show that its product does not exist.
    go(pages.products)
  })
  return (
    <ConfirmDelete
      kind="product"
      name={name}
      consequences="It can no longer be ordered. Existing apps are not deleted."
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      pending={remove.isPending}
      error={remove.error}
    />
  )
}
