import { Anchor, Button, Text } from '@mantine/core'
import { IconApps } from '@tabler/icons-react'
import { Link } from 'wouter'
import { Empty } from '../../../components/feedback/Empty.tsx'
import { StatusLabel } from '../../../components/feedback/StatusLabel.tsx'
import { ResourceList } from '../../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../../components/list/ResourceTable.tsx'
import type { ClusterAppView, ClusterView } from '../../../lib/api/contract.ts'
import { pages as appPages } from '../../apps/paths.ts'
import { statusWord } from '../../apps/status.ts'
import { api, TOPIC } from '../paths.ts'

interface ClusterAppsProps {
  readonly cluster: ClusterView
  readonly mayWrite: boolean
}

/** The apps in the cluster, those of all members; a link to those that the reader may see. */
export const ClusterApps = ({ cluster, mayWrite }: ClusterAppsProps) => (
  <ResourceList<ClusterAppView>
    noun="apps"
    topic={TOPIC}
    path={api.apps(cluster)}
    columns={COLUMNS}
    rowKey={(row) => row.name}
    empty={
      <Empty
        icon={<IconApps size={22} aria-hidden />}
        title="There are no apps in this cluster"
        action={
          mayWrite && (
            <Button component={Link} href={appPages.catalogue} size="xs" variant="default">
              Order an app
            </Button>
          )
        }
      >
        Owners and members of {cluster.organization} choose a cluster when they order an app. A cluster with apps is
        deleted only together with them.
      </Empty>
    }
  />
)

const COLUMNS: readonly ListColumn<ClusterAppView>[] = [
  {
    id: 'name',
    label: 'App',
    value: (row) => row.name,
    render: ({ name, deployment }) =>
      deployment === null ? (
        name
      ) : (
        <Anchor component={Link} inherit href={appPages.deployment(deployment)}>
          {name}
        </Anchor>
      ),
  },
  {
    id: 'owner',
    label: 'Owner',
    value: (row) => row.owner,
    render: ({ owner }) =>
      owner ?? (
        <Text span c="dimmed">
          No longer a member
        </Text>
      ),
    width: 260,
  },
  {
    id: 'status',
    label: 'Status',
    value: (row) => statusWord(row.status).word,
    render: ({ status, status_since: since }) => {
      const { tone, word } = statusWord(status)
      return (
        <StatusLabel tone={tone} since={since}>
          {word}
        </StatusLabel>
      )
    },
    width: 200,
  },
]
