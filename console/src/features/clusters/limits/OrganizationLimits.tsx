import { Anchor, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { Facts } from '../../../components/detail/Facts.tsx'
import { Panel } from '../../../components/detail/Panel.tsx'
import { Loaded } from '../../../components/feedback/Loaded.tsx'
import { Column, Columns } from '../../../components/page/Columns.tsx'
import type { OrganizationLimitsView } from '../../../lib/api/contract.ts'
import { useResource } from '../../../lib/api/queries.ts'
import { api, pages, TOPIC } from '../paths.ts'
import { LimitBar } from '../preflight/LimitBar.tsx'
import { LimitsForm } from './LimitsForm.tsx'

interface OrganizationLimitsProps {
  readonly organizationId: string
  readonly isAdmin: boolean
}

/** What an organization may order of clusters, and how much of it is used. Admins change it. */
export function OrganizationLimits({ organizationId, isAdmin }: OrganizationLimitsProps) {
  const query = useResource<OrganizationLimitsView>(TOPIC, api.limits(organizationId))
  return (
    <Loaded query={query}>
      {(limits) => (
        <Columns>
          <Column>
            <Panel title="Clusters">
              <Stack gap="md">
                <LimitBar noun="clusters" used={limits.clusters} limit={limits.max_clusters} />
                <LimitBar noun="nodes" used={limits.nodes} limit={limits.max_nodes} />
                <Text size="sm" c="dimmed">
                  Nodes are counted by the maximum of every node pool.{' '}
                  <Anchor component={Link} href={pages.listOf(organizationId)} size="sm">
                    Show the clusters
                  </Anchor>
                </Text>
              </Stack>
            </Panel>
          </Column>
          <Column>
            <Panel title="Limits">
              {isAdmin ? (
                <LimitsForm key={limits.generation} organizationId={organizationId} limits={limits} />
              ) : (
                <Facts
                  facts={[
                    ['Most clusters', limits.max_clusters ?? 'no limit'],
                    ['Most nodes', limits.max_nodes ?? 'no limit'],
                    ['Regions', allowedText(limits.regions)],
                    ['Machine types', allowedText(limits.machine_types)],
                    ['Changed by', 'admins'],
                  ]}
                />
              )}
            </Panel>
          </Column>
        </Columns>
      )}
    </Loaded>
  )
}

export const allowedText = (allowed: readonly string[] | null): string =>
  allowed === null ? 'all that Gardener offers' : allowed.join(', ')
