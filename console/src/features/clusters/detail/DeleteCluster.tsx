import { Checkbox } from '@mantine/core'
import { useState } from 'react'
import { ConfirmDelete } from '../../../components/delete/ConfirmDelete.tsx'
import type { ClusterView } from '../../../lib/api/contract.ts'
import { api } from '../paths.ts'
import { useWrite } from '../use-write.ts'

interface DeleteClusterProps {
  readonly cluster: ClusterView
  readonly onClose: () => void
}

export function DeleteCluster({ cluster, onClose }: DeleteClusterProps) {
  const [withApps, setWithApps] = useState(false)
  const remove = useWrite<void>(
    (client, _, idempotencyKey) =>
      client.delete(`${api.cluster(cluster)}${withApps ? '?with_apps=true' : ''}`, {
        idempotencyKey,
        ifMatch: `"${cluster.generation}"`,
      }),
    onClose,
  )
  return (
    <ConfirmDelete
      kind="cluster"
      name={cluster.name}
      consequences={`Gardener deletes the control plane of ${cluster.name}, all of its nodes and everything that runs on them, with its data. This cannot be undone.`}
      choice={
        <Checkbox
          label="Delete the apps in it first"
          description="Without it, a cluster with apps that were ordered into it is not deleted."
          checked={withApps}
          onChange={(event) => setWithApps(event.currentTarget.checked)}
        />
      }
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      pending={remove.isPending}
      error={remove.error}
    />
  )
}
