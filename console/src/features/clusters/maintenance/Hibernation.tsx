import { Button, Text } from '@mantine/core'
import { IconMoonStars, IconSunrise } from '@tabler/icons-react'
import { useState } from 'react'
import { Panel } from '../../../components/detail/Panel.tsx'
import { ChangeDialog } from '../preflight/ChangeDialog.tsx'
import type { MaintenanceProps } from './Maintenance.tsx'

/** Stops a cluster that nobody needs for a while, or starts it again. */
export function Hibernation({ cluster, mayWrite }: MaintenanceProps) {
  const [isOpen, setOpen] = useState(false)
  const isAsleep = cluster.hibernated
  const verb = isAsleep ? 'Wake up' : 'Hibernate'
  return (
    <Panel
      title="Hibernation"
      aside={
        mayWrite && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={isAsleep ? <IconSunrise size={14} aria-hidden /> : <IconMoonStars size={14} aria-hidden />}
            onClick={() => setOpen(true)}
          >
            {verb}
          </Button>
        )
      }
    >
      <Text size="sm">
        {isAsleep
          ? 'The cluster is hibernated, or on its way: it has no nodes, and its API server does not answer.'
          : 'The cluster runs.'}
      </Text>
      {isOpen && (
        <ChangeDialog
          cluster={cluster}
          title={`${verb} ${cluster.name}`}
          verb={verb}
          change={{ hibernated: !isAsleep }}
          onClose={() => setOpen(false)}
        >
          {() => (
            <Text size="sm">
              {isAsleep
                ? 'Gardener starts the control plane, then creates nodes up to the minimum of each pool.'
                : 'Gardener deletes all nodes and stops the control plane. Persistent volumes stay. Workloads do not run until you wake the cluster up.'}
            </Text>
          )}
        </ChangeDialog>
      )}
    </Panel>
  )
}
