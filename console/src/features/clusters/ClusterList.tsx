import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { IconPlus, IconServer2 } from '@tabler/icons-react'
import { Link, useLocation } from 'wouter'
import { Empty } from '../../components/feedback/Empty.tsx'
import { Loaded } from '../../components/feedback/Loaded.tsx'
import { ResourceList } from '../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../components/list/ResourceTable.tsx'
import { OrganizationSwitcher } from '../../components/organization/OrganizationSwitcher.tsx'
import { useOrganizations } from '../../components/organization/use-organizations.ts'
import { useAddress } from '../../lib/address.ts'
import type { ClusterView, OrganizationView } from '../../lib/api/contract.ts'
import { useOrganizationChoice } from '../../lib/organization-choice.ts'
import { chosenOf, mayChange } from '../../lib/organizations.ts'
import { AsOf } from './AsOf.tsx'
import { ClusterProgress } from './ClusterProgress.tsx'
import { ClusterStatusLabel } from './ClusterStatusLabel.tsx'
import { NoOrganization } from './NoOrganization.tsx'
import { api, pages, TOPIC } from './paths.ts'
import { headline, nodesText, statusChoices } from './status.ts'

/** The clusters of one organization, or of all that the caller sees. */
export function ClusterList({ isAdmin }: { readonly isAdmin: boolean }) {
  const { query, organizations = [], isComplete } = useOrganizations()
  const [id, choose] = useOrganizationChoice()
  // An organization that the caller no longer sees is not asked for.
  const chosen = isComplete && chosenOf(organizations, id) === undefined ? '' : id
  return (
    <Loaded query={query}>
      {() =>
        organizations.length === 0 ? (
          <NoOrganization isAdmin={isAdmin} onCreated={choose} />
        ) : (
          <Stack gap="md">
            <Group gap="sm">
              <OrganizationSwitcher
                organizations={organizations}
                isComplete={isComplete}
                value={chosen}
                onChange={choose}
              />
              <Text size="sm" c="dimmed" role="status">
                {whoseText(chosenOf(organizations, chosen), isAdmin)}
              </Text>
            </Group>
            <Clusters
              organizationId={chosen}
              mayCreate={
                chosen === ''
                  ? organizations.some((one) => mayChange(one, isAdmin))
                  : mayChange(chosenOf(organizations, chosen) ?? { role: null }, isAdmin)
              }
            />
          </Stack>
        )
      }
    </Loaded>
  )
}

const whoseText = (chosen: OrganizationView | undefined, isAdmin: boolean): string => {
  if (chosen !== undefined) return `Clusters of ${chosen.name}`
  return isAdmin ? 'Clusters of all organizations' : 'Clusters of all your organizations'
}

interface ClustersProps {
  readonly organizationId: string
  readonly mayCreate: boolean
}

function Clusters({ organizationId, mayCreate }: ClustersProps) {
  const [, go] = useLocation()
  const [params, set] = useAddress()
  const status = statusChoices.find(({ value }) => value === params.get('status'))
  const create = mayCreate && (
    <Button
      component={Link}
      href={organizationId === '' ? pages.create : `${pages.create}?organization=${organizationId}`}
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      New cluster
    </Button>
  )
  return (
    <ResourceList<ClusterView>
      noun="clusters"
      topic={TOPIC}
      path={api.all}
      wanted={{ organization_id: organizationId === '' ? undefined : organizationId, status: status?.value }}
      columns={COLUMNS}
      rowKey={(row) => row.id}
      onOpen={(row) => go(pages.cluster(row))}
      actions={
        <>
          <Select
            aria-label="Status"
            placeholder="Every status"
            clearable
            w={150}
            data={statusChoices}
            value={status?.value ?? null}
            onChange={(value) => set('status', value ?? '')}
          />
          {create}
        </>
      }
      empty={
        status === undefined ? (
          <Empty icon={<IconServer2 size={22} aria-hidden />} title="There are no clusters" action={create}>
            A cluster is a Kubernetes control plane with node pools, created by Gardener.
            {!mayCreate && ' Viewers cannot create clusters.'}
          </Empty>
        ) : (
          <Empty
            icon={<IconServer2 size={22} aria-hidden />}
            title={`No cluster has the status ${status.label.toLowerCase()}`}
            action={
              <Button size="xs" variant="default" onClick={() => set('status', '')}>
                Show every status
              </Button>
            }
          />
        )
      }
    />
  )
}

const COLUMNS: readonly ListColumn<ClusterView>[] = [
  {
    id: 'name',
    label: 'Cluster',
    value: (row) => row.name,
    render: (row) => (
      <>
        {row.name}
        {row.hibernated && (
          <Text span display="block" size="xs" c="dimmed">
            hibernated
          </Text>
        )}
      </>
    ),
  },
  { id: 'organization', label: 'Organization', value: (row) => row.organization, width: 160 },
  { id: 'region', label: 'Region', value: (row) => row.region, width: 130 },
  {
    id: 'version',
    label: 'Version',
    value: (row) => row.shoot?.kubernetes_version ?? row.kubernetes_version,
    width: 95,
  },
  {
    id: 'status',
    label: 'Status',
    value: (row) => headline(row).word,
    render: (row) => (
      <Stack gap={4}>
        <ClusterStatusLabel cluster={row} isBare />
        <ClusterProgress cluster={row} isShort />
      </Stack>
    ),
    width: 270,
  },
  { id: 'nodes', label: 'Nodes', value: (row) => nodesText(row.node_pools), width: 90 },
  {
    id: 'asOf',
    label: 'Confirmed',
    value: (row) => row.status_as_of,
    render: (row) => <AsOf cluster={row} />,
    width: 130,
  },
]
