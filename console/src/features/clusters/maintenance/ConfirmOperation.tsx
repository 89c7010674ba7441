import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import type { ClusterOperate } from '../../../lib/api/contract.ts'
import type { ClusterRef } from '../paths.ts'
import { useOperate } from '../use-operate.ts'

interface ConfirmOperationProps {
  readonly cluster: ClusterRef
  readonly operation: ClusterOperate['operation']
  readonly title: string
  readonly verb: string
  /** What will happen, in a sentence or two. */
  readonly consequences: string
  readonly onClose: () => void
}

/** Asks before Gardener is asked. */
export function ConfirmOperation({ cluster, operation, title, verb, consequences, onClose }: ConfirmOperationProps) {
  const operate = useOperate(cluster)
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        <Text size="sm">{consequences}</Text>
        {operate.error !== null && <ProblemView compact error={operate.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={operate.isPending} onClick={() => operate.mutate(operation, { onSuccess: onClose })}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
