import { Button, Text } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { Facts } from '../../../components/detail/Facts.tsx'
import { Panel } from '../../../components/detail/Panel.tsx'
import type { ClusterView } from '../../../lib/api/contract.ts'
import { draftOfWindow, windowOf, windowText } from '../order/window.ts'
import { WindowChoice } from '../order/WindowChoice.tsx'
import { ChangeDialog } from '../preflight/ChangeDialog.tsx'
import type { MaintenanceProps } from './Maintenance.tsx'

/** When Gardener may change the cluster by itself. */
export function MaintenanceTime({ cluster, mayWrite }: MaintenanceProps) {
  const [isOpen, setOpen] = useState(false)
  const { maintenance } = cluster
  return (
    <Panel
      title="Maintenance window"
      aside={
        mayWrite && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPencil size={14} aria-hidden />}
            aria-label="Change the maintenance window"
            onClick={() => setOpen(true)}
          >
            Change
          </Button>
        )
      }
    >
      {maintenance === null ? (
        <Text size="sm">Gardener chooses when it may change the cluster by itself.</Text>
      ) : (
        <Facts
          facts={[
            ['Every day', windowText(maintenance)],
            ['Patch versions of Kubernetes', maintenance.update_kubernetes ? 'installed' : 'not installed'],
            ['Machine image', maintenance.update_machine_image ? 'replaced' : 'not replaced'],
          ]}
        />
      )}
      {isOpen && <ChangeWindow cluster={cluster} onClose={() => setOpen(false)} />}
    </Panel>
  )
}

interface ChangeWindowProps {
  readonly cluster: ClusterView
  readonly onClose: () => void
}

function ChangeWindow({ cluster, onClose }: ChangeWindowProps) {
  const [draft, setDraft] = useState(cluster.maintenance && draftOfWindow(cluster.maintenance))
  const isComplete = draft === null || (draft.begin !== '' && draft.end !== '')
  return (
    <ChangeDialog
      cluster={cluster}
      title={`Maintenance window of ${cluster.name}`}
      verb="Save"
      place="maintenance"
      change={isComplete ? { maintenance: draft && windowOf(draft) } : undefined}
      onClose={onClose}
    >
      {(problems) => <WindowChoice window={draft} problems={problems} onChange={setDraft} />}
    </ChangeDialog>
  )
}
