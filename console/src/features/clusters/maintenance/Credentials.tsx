import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Facts } from '../../../components/detail/Facts.tsx'
import { Panel } from '../../../components/detail/Panel.tsx'
import { ProgressSteps } from '../../../components/feedback/ProgressSteps.tsx'
import type { ClusterOperate } from '../../../lib/api/contract.ts'
import { DownloadKubeconfig } from '../detail/DownloadKubeconfig.tsx'
import { ConfirmOperation } from './ConfirmOperation.tsx'
import type { MaintenanceProps } from './Maintenance.tsx'
import { partText, rotationStage, rotationSteps } from './rotation.ts'

type Dialog = 'kubeconfig' | Extract<ClusterOperate['operation'], `rotate-${string}`>

/** The rotation of credentials, step by step; a person starts and completes it. */
export function Credentials({ cluster, mayWrite }: MaintenanceProps) {
  const [dialog, setDialog] = useState<Dialog>()
  const close = (): void => setDialog(undefined)
  const stage = rotationStage(cluster)
  const mayStart = (stage === 'none' || stage === 'completed') && cluster.shoot !== null
  return (
    <Panel title="Credentials rotation">
      <Stack gap="md">
        <Text size="sm" role="status">
          {TEXTS[stage]}
        </Text>
        {stage !== 'none' && <ProgressSteps label="Rotation of credentials" steps={rotationSteps(stage)} />}
        {cluster.shoot !== null && (
          <Facts facts={Object.entries(cluster.shoot.rotation).map(([part, phase]) => [partText(part), phase])} />
        )}
        {mayWrite && (
          <Group gap="xs">
            {mayStart && (
              <Button size="xs" variant="default" onClick={() => setDialog('rotate-credentials-start')}>
                Start rotation
              </Button>
            )}
            {stage === 'prepared' && (
              <>
                <Button size="xs" onClick={() => setDialog('kubeconfig')}>
                  Download new kubeconfig
                </Button>
                <Button size="xs" variant="default" onClick={() => setDialog('rotate-credentials-complete')}>
                  Complete rotation
                </Button>
              </>
            )}
          </Group>
        )}
      </Stack>
      {dialog === 'kubeconfig' && <DownloadKubeconfig cluster={cluster} onClose={close} />}
      {dialog !== undefined && dialog !== 'kubeconfig' && (
        <ConfirmOperation cluster={cluster} operation={dialog} {...CONFIRM[dialog]} onClose={close} />
      )}
    </Panel>
  )
}

const TEXTS = {
  none: 'The credentials of the cluster were never rotated.',
  preparing: 'Gardener creates new credentials. The old ones work until you complete the rotation.',
  prepared:
    'Action required: renew kubeconfigs and tokens, then complete the rotation. Old and new ones work until then.',
  completing: 'Gardener removes the old credentials.',
  completed: 'The last rotation is complete. Only the new credentials work.',
} as const

const CONFIRM = {
  'rotate-credentials-start': {
    title: 'Start the rotation of credentials',
    verb: 'Start rotation',
    consequences:
      'Gardener creates new certificate authorities, keys and tokens beside the old ones, and replaces all nodes one after the other. Old credentials go on working.',
  },
  'rotate-credentials-complete': {
    title: 'Complete the rotation of credentials',
    verb: 'Complete rotation',
    consequences:
      'The old credentials stop working: every kubeconfig and service account token from before the rotation is refused. This cannot be undone.',
  },
} as const
