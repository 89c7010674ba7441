import { Anchor, Code } from '@mantine/core'
import { Link } from 'wouter'
import { Facts } from '../../../components/detail/Facts.tsx'
import { Panel } from '../../../components/detail/Panel.tsx'
import { Age } from '../../../components/feedback/Age.tsx'
import type { ClusterView } from '../../../lib/api/contract.ts'
import { windowText } from '../order/window.ts'
import { pages } from '../paths.ts'
import { nodesText } from '../status.ts'

/** What was ordered. */
export const ClusterFacts = ({ cluster }: { readonly cluster: ClusterView }) => (
  <Panel title="Ordered">
    <Facts
      facts={[
        [
          'Organization',
          <Anchor key="organization" component={Link} href={pages.listOf(cluster.organization_id)} size="sm">
            {cluster.organization}
          </Anchor>,
        ],
        ['Region', cluster.region],
        ['Kubernetes version', cluster.kubernetes_version],
        ['Nodes', `${nodesText(cluster.node_pools)} in ${poolsText(cluster.node_pools.length)}`],
        ['Hibernated', cluster.hibernated ? 'yes' : 'no'],
        ['Maintenance', cluster.maintenance === null ? 'chosen by Gardener' : windowText(cluster.maintenance)],
        ['Id', <Code key="id">{cluster.id}</Code>],
        [
          'Created',
          <span key="created">
            <Age since={cluster.created_at} /> ago
          </span>,
        ],
        ...(cluster.deleting_since === null
          ? []
          : [
              [
                'Deletion requested',
                <span key="deleting">
                  <Age since={cluster.deleting_since} /> ago
                </span>,
              ] as const,
            ]),
      ]}
    />
  </Panel>
)

const poolsText = (count: number): string => (count === 1 ? '1 node pool' : `${count} node pools`)
