import { Button, Text } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { Panel } from '../../../components/detail/Panel.tsx'
import { Loaded } from '../../../components/feedback/Loaded.tsx'
import type { ClusterView, LandscapeView } from '../../../lib/api/contract.ts'
import { preferredVersion } from '../order/draft.ts'
import { VersionSelect } from '../order/VersionSelect.tsx'
import { ChangeDialog } from '../preflight/ChangeDialog.tsx'
import { fieldError } from '../preflight/Supported.tsx'
import { useLandscape } from '../use-landscape.ts'
import type { MaintenanceProps } from './Maintenance.tsx'

/** The version of a cluster without a Shoot: one that Gardener refused is corrected by any that can be ordered. */
export function OrderedVersion({ cluster, mayWrite }: MaintenanceProps) {
  const landscape = useLandscape(cluster.organization_id)
  const [isOpen, setOpen] = useState(false)
  return (
    <Panel
      title="Kubernetes version"
      aside={
        mayWrite && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPencil size={14} aria-hidden />}
            aria-label="Change the Kubernetes version"
            disabled={landscape.data === undefined}
            onClick={() => setOpen(true)}
          >
            Change
          </Button>
        )
      }
    >
      <Text size="sm">
        Version <b>{cluster.kubernetes_version}</b> {cluster.deleting_since === null ? 'is' : 'was'} ordered.{' '}
        {cluster.deleting_since === null &&
          'The cluster has no Shoot yet: until it has one, any version that Gardener offers can be ordered instead.'}
      </Text>
      {mayWrite && (
        <Loaded query={landscape}>
          {({ versions }) =>
            isOpen && <ChangeVersion cluster={cluster} versions={versions} onClose={() => setOpen(false)} />
          }
        </Loaded>
      )}
    </Panel>
  )
}

interface ChangeVersionProps {
  readonly cluster: ClusterView
  readonly versions: LandscapeView['versions']
  readonly onClose: () => void
}

function ChangeVersion({ cluster, versions, onClose }: ChangeVersionProps) {
  const [version, setVersion] = useState(() => preferredVersion(versions))
  return (
    <ChangeDialog
      cluster={cluster}
      title={`Kubernetes version of ${cluster.name}`}
      verb="Save"
      change={version === '' ? undefined : { kubernetes_version: version }}
      onClose={onClose}
    >
      {(problems) => (
        <VersionSelect
          versions={versions}
          value={version}
          description={`Instead of ${cluster.kubernetes_version}. The newest supported one is preselected.`}
          error={fieldError(problems.get('kubernetes_version'), setVersion)}
          onChange={setVersion}
        />
      )}
    </ChangeDialog>
  )
}
