import { Button, Text } from '@mantine/core'
import { IconMoonStars, IconSunrise } from '@tabler/icons-react'
import { useState } from 'react'
import { Panel } from '../../../components/detail/Panel.tsx'
import type { ClusterView } from '../../../lib/api/contract.ts'
import { ChangeDialog } from '../preflight/ChangeDialog.tsx'
import type { MaintenanceProps } from './Maintenance.tsx'

/** Stops a cluster that nobody needs for a while, or starts it again. */
export function Hibernation({ cluster, mayWrite }: MaintenanceProps) {
  // What the dialog asks stays as it is, also when the cluster has changed behind it.
  const [asked, setAsked] = useState<boolean>()
  const isAsleep = cluster.hibernated
  return (
    <Panel
      title="Hibernation"
      aside={
        mayWrite && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={isAsleep ? <IconSunrise size={14} aria-hidden /> : <IconMoonStars size={14} aria-hidden />}
            onClick={() => setAsked(!isAsleep)}
          >
            {verbOf(!isAsleep)}
          </Button>
        )
      }
    >
      <Text size="sm">{hibernationText(cluster)}</Text>
      {asked !== undefined && (
        <ChangeDialog
          cluster={cluster}
          title={`${verbOf(asked)} ${cluster.name}`}
          verb={verbOf(asked)}
          change={{ hibernated: asked }}
          onClose={() => setAsked(undefined)}
        >
          {() => (
            <Text size="sm">
              {asked
                ? 'Gardener deletes all nodes and stops the control plane. Persistent volumes stay. Workloads do not run until you wake the cluster up.'
                : 'Gardener starts the control plane, then creates nodes up to the minimum of each pool.'}
            </Text>
          )}
        </ChangeDialog>
      )}
    </Panel>
  )
}

const verbOf = (hibernated: boolean): string => (hibernated ? 'Hibernate' : 'Wake up')

type Hibernated = Pick<ClusterView, 'hibernated' | 'status' | 'shoot' | 'deleting_since'>

export function hibernationText({ hibernated, status, shoot, deleting_since: deletingSince }: Hibernated): string {
  if (status === 'deleted') return 'The cluster is deleted.'
  if (deletingSince !== null) return 'The cluster is being deleted.'
  if (hibernated)
    return 'The cluster is hibernated, or on its way: it has no nodes, and its API server does not answer.'
  if (shoot === null) return 'The cluster is not created yet.'
  if (shoot.hibernated) return 'Wake-up requested. Gardener still reports the cluster as hibernated.'
  return status === 'ready' ? 'The cluster runs.' : `The cluster is not hibernated. Its status is ${status}.`
}
