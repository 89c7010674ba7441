import { useLocation } from 'wouter'
import { ConfirmDelete } from '../../components/delete/ConfirmDelete.tsx'
import type { OrganizationView } from '../../lib/api/contract.ts'
import { api, pages } from './paths.ts'
import { useWrite } from './use-write.ts'

interface DeleteOrganizationProps {
  readonly organization: OrganizationView
  readonly onClose: () => void
}

export function DeleteOrganization({ organization: { id, name }, onClose }: DeleteOrganizationProps) {
  const [, go] = useLocation()
  const remove = useWrite<void>(async (client) => {
    await client.delete(api.organization(id))
    // Before the topic is read again: this page would show that its organization does not exist.
    go(pages.organizations)
  })
  return (
    <ConfirmDelete
      kind="organization"
      name={name}
      consequences="Its members lose access. An organization that still owns objects cannot be deleted."
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      pending={remove.isPending}
      error={remove.error}
    />
  )
}
