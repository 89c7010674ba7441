import { Button, Stack } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { Facts } from '../../../components/detail/Facts.tsx'
import { Panel } from '../../../components/detail/Panel.tsx'
import { Age } from '../../../components/feedback/Age.tsx'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import { durationText } from '../../../lib/age.ts'
import type { ClusterView } from '../../../lib/api/contract.ts'
import { useNow } from '../../../lib/now.ts'
import { useSync } from '../use-operate.ts'

interface SyncStateProps {
  readonly cluster: ClusterView
  readonly mayOperate: boolean
}

/** Whether Gardener has the latest change, and when that is attempted next. */
export function SyncState({ cluster, mayOperate }: SyncStateProps) {
  const sync = useSync(cluster)
  const now = useNow()
  return (
    <Panel
      title="Sync"
      aside={
        mayOperate && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={sync.isPending}
            onClick={() => sync.mutate()}
          >
            Sync now
          </Button>
        )
      }
    >
      <Stack gap="sm">
        <Facts
          facts={[
            ['Change', changeText(cluster)],
            [
              'Last synced',
              cluster.synced_at === null ? (
                'never'
              ) : (
                <span key="synced">
                  <Age since={cluster.synced_at} /> ago
                </span>
              ),
            ],
            ['Failed attempts', cluster.sync_attempts],
            ['Next attempt', dueText(cluster.next_sync_at, now)],
            ...(cluster.operation === null
              ? []
              : [
                  [
                    'Last request',
                    <span key="request">
                      {cluster.operation.kind}, <Age since={cluster.operation.requested_at} /> ago
                    </span>,
                  ] as const,
                ]),
          ]}
        />
        {sync.error !== null && <ProblemView compact error={sync.error} />}
      </Stack>
    </Panel>
  )
}

/** The generation, and which one Gardener has. */
export const changeText = ({
  generation,
  synced_generation: synced,
}: Pick<ClusterView, 'generation' | 'synced_generation'>): string =>
  synced >= generation
    ? `${generation}, sent to Gardener`
    : `${generation}; Gardener has ${synced === 0 ? 'none' : synced}`

export function dueText(at: string | null, now: number): string {
  if (at === null) return 'when something changes'
  const left = Date.parse(at) - now
  return left <= 0 ? 'now' : `in ${durationText(left)}`
}
