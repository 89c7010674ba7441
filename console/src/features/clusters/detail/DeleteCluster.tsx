import { Checkbox, Text } from '@mantine/core'
import { useState } from 'react'
import { ConfirmDelete } from '../../../components/delete/ConfirmDelete.tsx'
import type { ClusterAppView, ClusterView } from '../../../lib/api/contract.ts'
import { useResourcePages } from '../../../lib/api/queries.ts'
import { api, TOPIC } from '../paths.ts'
import { useWrite } from '../use-write.ts'

interface DeleteClusterProps {
  readonly cluster: ClusterView
  readonly onClose: () => void
}

export function DeleteCluster({ cluster, onClose }: DeleteClusterProps) {
  const [withApps, setWithApps] = useState(false)
  const apps = useResourcePages<ClusterAppView>(TOPIC, api.apps(cluster))
  const { items, next_cursor: next } = apps.data?.pages[0] ?? {}
  const remove = useWrite<void>(
    (client, _, idempotencyKey) =>
      client.delete(`${api.cluster(cluster)}${withApps ? '?with_apps=true' : ''}`, {
        idempotencyKey,
        ifMatch: `"${cluster.generation}"`,
      }),
    onClose,
  )
  const choice = (
    <Checkbox
      label="Delete the apps in it first"
      description={
        items === undefined
          ? 'Without it, a cluster with apps that were ordered into it is not deleted.'
          : `Without it, the cluster is not deleted: ${appsText(items, typeof next === 'string')}.`
      }
      checked={withApps}
      onChange={(event) => setWithApps(event.currentTarget.checked)}
    />
  )
  return (
    <ConfirmDelete
      kind="cluster"
      name={cluster.name}
      consequences={`Gardener deletes the control plane of ${cluster.name}, all of its nodes and everything that runs on them, with its data. This cannot be undone.`}
      choice={apps.isPending ? undefined : items?.length === 0 ? NO_APPS : choice}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      pending={remove.isPending}
      error={remove.error}
    />
  )
}

const NO_APPS = <Text size="sm">No app was ordered into it.</Text>

const MOST_NAMED = 10

/** Those of other members too. */
function appsText(apps: readonly Pick<ClusterAppView, 'name'>[], areMore: boolean): string {
  const names = apps.slice(0, MOST_NAMED).map(({ name }) => name)
  const left = apps.length - names.length
  const others = areMore ? ' and more' : left > 0 ? ` and ${left} more` : ''
  return `${apps.length === 1 && !areMore ? 'there is' : 'there are'} ${names.join(', ')}${others}`
}
