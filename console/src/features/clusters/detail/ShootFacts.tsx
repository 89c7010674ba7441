import { Button, Code, Text, Tooltip } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { Facts } from '../../../components/detail/Facts.tsx'
import { Panel } from '../../../components/detail/Panel.tsx'
import { Age } from '../../../components/feedback/Age.tsx'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import type { ClusterView } from '../../../lib/api/contract.ts'
import { useOperate } from '../use-operate.ts'

interface ShootFactsProps {
  readonly cluster: ClusterView
  readonly mayOperate: boolean
}

/** The Shoot as Gardener reports it. */
export function ShootFacts({ cluster, mayOperate }: ShootFactsProps) {
  const { shoot } = cluster
  const operate = useOperate(cluster)
  return (
    <Panel
      title="Shoot"
      aside={
        mayOperate &&
        shoot !== null && (
          <Tooltip label="Asks Gardener to compare the cluster with its Shoot now">
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconRefresh size={14} aria-hidden />}
              loading={operate.isPending}
              onClick={() => operate.mutate('reconcile')}
            >
              Reconcile
            </Button>
          </Tooltip>
        )
      }
    >
      {shoot === null ? (
        <Text size="sm" c="dimmed">
          {cluster.deleting_since === null ? 'There is no Shoot yet.' : 'There is no Shoot.'}
        </Text>
      ) : (
        <Facts
          facts={[
            ['Namespace', <Code key="namespace">{shoot.namespace}</Code>],
            ['Name', <Code key="name">{shoot.name}</Code>],
            ['Kubernetes version', shoot.kubernetes_version],
            ['Hibernated', shoot.hibernated ? 'yes' : 'no'],
            [
              'Last operation',
              shoot.operation === null ? (
                'none'
              ) : (
                <span key="operation">
                  {shoot.operation.type}, {shoot.operation.state}
                  {shoot.operation.updated_at !== null && (
                    <>
                      , <Age since={shoot.operation.updated_at} /> ago
                    </>
                  )}
                </span>
              ),
            ],
          ]}
        />
      )}
      {operate.error !== null && <ProblemView compact error={operate.error} />}
    </Panel>
  )
}
