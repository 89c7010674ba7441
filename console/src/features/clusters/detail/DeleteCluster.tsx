import { ConfirmDelete } from '../../../components/delete/ConfirmDelete.tsx'
import type { ClusterView } from '../../../lib/api/contract.ts'
import { api } from '../paths.ts'
import { useWrite } from '../use-write.ts'

interface DeleteClusterProps {
  readonly cluster: ClusterView
  readonly onClose: () => void
}

export function DeleteCluster({ cluster, onClose }: DeleteClusterProps) {
  const remove = useWrite<void>(
    (client, _, idempotencyKey) =>
      client.delete(api.cluster(cluster), { idempotencyKey, ifMatch: `"${cluster.generation}"` }),
    onClose,
  )
  return (
    <ConfirmDelete
      kind="cluster"
      name={cluster.name}
      consequences={`Gardener deletes the control plane of ${cluster.name}, all of its nodes and everything that runs on them, with its data. This cannot be undone.`}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      pending={remove.isPending}
      error={remove.error}
    />
  )
}
