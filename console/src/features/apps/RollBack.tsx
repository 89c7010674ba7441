import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import { LinesSkeleton } from '../../components/feedback/Loaded.tsx'
import { PreviewDiff } from '../../components/insight/PreviewDiff.tsx'
import type { DeploymentRollback, DeploymentView, PreviewView, RevisionView } from '../../lib/api/contract.ts'
import { api } from './paths.ts'
import { useWrite } from './use-write.ts'

interface RollBackProps {
  readonly deployment: DeploymentView
  readonly revision: RevisionView
  readonly onClose: () => void
}

/** What going back would change, and then the change. */
export function RollBack({ deployment, revision, onClose }: RollBackProps) {
  const path = api.deployment(deployment)
  const { generation } = revision
  const [withDomain, setWithDomain] = useState(false)
  const preview = useWrite<PreviewView, DeploymentRollback>((client, to) => client.post(`${path}:preview-rollback`, to))
  const rollback = useWrite<DeploymentView, DeploymentRollback>(
    (client, to, idempotencyKey) =>
      client.post(`${path}:rollback`, to, { idempotencyKey, ifMatch: `"${deployment.generation}"` }),
    onClose,
  )
  const { mutate: look } = preview
  useEffect(() => look({ generation, with_domain: withDomain }), [look, generation, withDomain])
  const error = preview.error ?? rollback.error
  return (
    <Modal
      opened
      size="xl"
      onClose={onClose}
      title={`Roll back to ${generation}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">
        <Text size="sm">
          The app gets the template and the settings of change {generation} again, write-only ones too. It is a new
          change; data of the app stays as it is.
        </Text>
        {revision.domainname !== deployment.domainname && (
          <Checkbox
            label={`Also the domain ${revision.domainname}`}
            checked={withDomain}
            onChange={(event) => setWithDomain(event.currentTarget.checked)}
          />
        )}
        {preview.data && <PreviewDiff preview={preview.data} />}
        {preview.isPending && !preview.data && <LinesSkeleton />}
        {error !== null && <ProblemView compact error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            disabled={!preview.data}
            loading={preview.isPending || rollback.isPending}
            onClick={() => rollback.mutate({ generation, with_domain: withDomain })}
          >
            Roll back
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
