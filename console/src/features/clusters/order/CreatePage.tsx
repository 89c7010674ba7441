import { Anchor, Breadcrumbs, Group, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Panel } from '../../../components/detail/Panel.tsx'
import { Empty } from '../../../components/feedback/Empty.tsx'
import { Loaded } from '../../../components/feedback/Loaded.tsx'
import { OrganizationSwitcher } from '../../../components/organization/OrganizationSwitcher.tsx'
import { useOrganizations } from '../../../components/organization/use-organizations.ts'
import { Page } from '../../../components/page/Page.tsx'
import type { OrganizationView } from '../../../lib/api/contract.ts'
import { useOrganizationChoice } from '../../../lib/organization-choice.ts'
import { chosenOf, mayChange } from '../../../lib/organizations.ts'
import { LandscapeProblem } from '../LandscapeProblem.tsx'
import { NoOrganization } from '../NoOrganization.tsx'
import { pages } from '../paths.ts'
import { SimulatedNotice } from '../SimulatedNotice.tsx'
import { useLandscape } from '../use-landscape.ts'
import { Order } from './Order.tsx'

/** Orders a cluster for one of the organizations in which the caller may change something. */
export function CreatePage({ isAdmin }: { readonly isAdmin: boolean }) {
  const { query, organizations = [], isComplete } = useOrganizations()
  const [id, choose] = useOrganizationChoice()
  const possible = organizations.filter((one) => mayChange(one, isAdmin))
  const chosen = chosenOf(possible, id) ?? (possible.length === 1 ? possible[0] : undefined)
  return (
    <Page
      title="New cluster"
      above={<WayBack />}
      description="Caelus checks the order with Gardener while you edit. Nothing is created before you confirm."
    >
      <SimulatedNotice />
      <Loaded query={query}>
        {() =>
          organizations.length === 0 ? (
            <NoOrganization isAdmin={isAdmin} onCreated={choose} />
          ) : possible.length === 0 ? (
            <ForMembers />
          ) : (
            <>
              <Group gap="sm">
                <OrganizationSwitcher
                  organizations={possible}
                  isComplete={isComplete}
                  value={chosen?.id ?? ''}
                  onChange={choose}
                  withAll={false}
                />
                <Text size="sm" c="dimmed">
                  {chosen
                    ? `The cluster will belong to ${chosen.name}`
                    : 'Choose the organization that will own the cluster'}
                </Text>
              </Group>
              <OrderFor organization={chosen} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

/** What Gardener offers is chosen; while that is not known it is typed, and checked once Gardener answers. */
function OrderFor({ organization }: { readonly organization: OrganizationView | undefined }) {
  const landscape = useLandscape(organization?.id ?? '')
  // Once drawn, the form stays: what was typed survives another attempt to read the landscape.
  const [isDrawn, setDrawn] = useState(!landscape.isPending)
  if (!isDrawn && !landscape.isPending) setDrawn(true)
  if (!isDrawn) return <Loaded query={landscape}>{() => null}</Loaded>
  return (
    <>
      <LandscapeProblem query={landscape} />
      {landscape.error !== null && landscape.data === undefined && (
        <Text size="sm">
          You can order all the same: enter region, version and machine type. Gardener checks them when it can be
          reached.
        </Text>
      )}
      <Order organization={organization} landscape={landscape.data} />
    </>
  )
}

/** The API has the last word; this spares viewers a form that would be refused. */
const ForMembers = () => (
  <Panel>
    <Empty icon={<IconLock size={22} aria-hidden />} title="Viewers cannot create clusters">
      Ask an owner of your organization for the role member. <Link href={pages.list}>Back to the clusters</Link>
    </Empty>
  </Panel>
)

const WayBack = () => (
  <Breadcrumbs separator="›">
    <Anchor component={Link} href={pages.list} size="sm">
      Clusters
    </Anchor>
    <Text size="sm" c="dimmed">
      new
    </Text>
  </Breadcrumbs>
)
