import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconInfoCircle, IconRepeat } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Panel } from '../../components/detail/Panel.tsx'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import { FieldChanges } from '../../components/insight/PreviewDiff.tsx'
import { useApi } from '../../lib/api/context.tsx'
import type { ReplayView } from '../../lib/api/contract.ts'

/** Decides again from the recorded input, and shows what the present version decides differently. */
export function Replay({ id }: { readonly id: string }) {
  const api = useApi()
  const replay = useMutation({
    mutationFn: () => api.post<ReplayView>(`/decisions/${encodeURIComponent(id)}:replay`),
  })
  return (
    <Panel title="Replay">
      <Stack gap="md" align="stretch">
        <Group justify="space-between" gap="sm">
          <Text size="sm" c="dimmed">
            Runs the decide function of this server with the recorded input and time. Nothing is changed.
          </Text>
          <Button
            variant="default"
            leftSection={<IconRepeat size={16} aria-hidden />}
            loading={replay.isPending}
            onClick={() => replay.mutate()}
          >
            Replay
          </Button>
        </Group>
        {replay.error !== null && <ProblemView compact error={replay.error} />}
        {replay.data && <Result replay={replay.data} />}
      </Stack>
    </Panel>
  )
}

function Result({ replay: { result, because, changes, version } }: { readonly replay: ReplayView }) {
  switch (result) {
    case 'same':
      return (
        <Alert role="status" color="green" icon={<IconCheck aria-hidden />} title="Same decision">
          Version {version} decides the same from this input.
        </Alert>
      )
    case 'not_replayable':
      return (
        <Alert role="status" color="gray" icon={<IconInfoCircle aria-hidden />} title="Not replayable">
          {because}
        </Alert>
      )
    case 'different':
      return (
        <>
          <Alert role="status" color="orange" icon={<IconAlertTriangle aria-hidden />} title="Different decision">
            Version {version} decides otherwise in {changes.length === 1 ? '1 field' : `${changes.length} fields`}.
          </Alert>
          <FieldChanges changes={changes} />
        </>
      )
    default:
      return result satisfies never
  }
}
