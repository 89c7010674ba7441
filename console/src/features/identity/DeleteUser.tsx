import { ConfirmDelete } from '../../components/delete/ConfirmDelete.tsx'
import type { UserView } from '../../lib/api/contract.ts'
import { useTopicWrite } from '../../lib/api/use-write.ts'
import { api, USERS_TOPIC } from './paths.ts'

interface DeleteUserProps {
  readonly user: UserView
  readonly onClose: () => void
}

export function DeleteUser({ user: { id, email }, onClose }: DeleteUserProps) {
  const remove = useTopicWrite<void>(USERS_TOPIC, (client) => client.delete(api.user(id)), onClose)
  return (
    <ConfirmDelete
      kind="user"
      name={email}
      consequences="The user can no longer sign in. Users who still own apps or are the last owner of an organization cannot be deleted."
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      pending={remove.isPending}
      error={remove.error}
    />
  )
}
