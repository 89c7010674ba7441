import { Code, Text } from '@mantine/core'
import { Facts } from '../../../components/detail/Facts.tsx'
import { Panel } from '../../../components/detail/Panel.tsx'
import { Age } from '../../../components/feedback/Age.tsx'
import type { ClusterView } from '../../../lib/api/contract.ts'

/** The Shoot as Gardener reports it. */
export function ShootFacts({ cluster: { shoot } }: { readonly cluster: Pick<ClusterView, 'shoot'> }) {
  return (
    <Panel title="Shoot">
      {shoot === null ? (
        <Text size="sm" c="dimmed">
          There is no Shoot yet.
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
    </Panel>
  )
}
