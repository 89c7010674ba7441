import { ConfirmDelete } from '../../components/delete/ConfirmDelete.tsx'
import type { DeploymentView } from '../../lib/api/contract.ts'
import { api } from './paths.ts'
import { useWrite } from './use-write.ts'

interface DeleteDeploymentProps {
  readonly deployment: DeploymentView
  readonly onClose: () => void
}

export function DeleteDeployment({ deployment, onClose }: DeleteDeploymentProps) {
  const remove = useWrite<void>(
    (client, _, idempotencyKey) => client.delete(api.deployment(deployment), { idempotencyKey }),
    onClose,
  )
  return (
    <ConfirmDelete
      kind="app"
      name={deployment.domainname}
      consequences={`Namespace ${deployment.namespace_name} is deleted with everything in it, its data too. This cannot be undone.`}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      pending={remove.isPending}
      error={remove.error}
    />
  )
}
