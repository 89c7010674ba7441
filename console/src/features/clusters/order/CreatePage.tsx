import { Anchor, Breadcrumbs, Group, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { Link } from 'wouter'
import { Panel } from '../../../components/detail/Panel.tsx'
import { Empty } from '../../../components/feedback/Empty.tsx'
import { Loaded } from '../../../components/feedback/Loaded.tsx'
import { OrganizationSwitcher } from '../../../components/organization/OrganizationSwitcher.tsx'
import { useOrganizations } from '../../../components/organization/use-organizations.ts'
import { Page } from '../../../components/page/Page.tsx'
import { useOrganizationChoice } from '../../../lib/organization-choice.ts'
import { chosenOf, mayChange } from '../../../lib/organizations.ts'
import { NoOrganization } from '../NoOrganization.tsx'
import { pages } from '../paths.ts'
import { SimulatedNotice } from '../SimulatedNotice.tsx'
import { useLandscape } from '../use-landscape.ts'
import { Order } from './Order.tsx'

/** Orders a cluster for one of the organizations in which the caller may change something. */
export function CreatePage({ isAdmin }: { readonly isAdmin: boolean }) {
  const { query, organizations = [] } = useOrganizations()
  const [id, choose] = useOrganizationChoice()
  const possible = organizations.filter((one) => mayChange(one, isAdmin))
  const chosen = chosenOf(possible, id) ?? (possible.length === 1 ? possible[0] : undefined)
  const landscape = useLandscape(chosen?.id ?? '')
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
              <Loaded query={landscape}>{(view) => <Order organization={chosen} landscape={view} />}</Loaded>
            </>
          )
        }
      </Loaded>
    </Page>
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
