import { Stack } from '@mantine/core'
import { Redirect, Route, Switch } from 'wouter'
import { DomainPage } from '../../components/page/DomainPage.tsx'
import { useMe } from '../../lib/api/queries.ts'
import { about } from './about.ts'
import { ClusterList } from './ClusterList.tsx'
import { ClusterPage } from './detail/ClusterPage.tsx'
import { CreatePage } from './order/CreatePage.tsx'
import { pages } from './paths.ts'
import { SimulatedNotice } from './SimulatedNotice.tsx'

export function ClustersPage() {
  const me = useMe()
  if (!me.data) return null
  const isAdmin = me.data.role === 'admin'
  return (
    <Switch>
      <Route path={pages.list}>
        <DomainPage about={about}>
          <Stack gap="md">
            <SimulatedNotice />
            <ClusterList isAdmin={isAdmin} />
          </Stack>
        </DomainPage>
      </Route>
      <Route path={pages.create}>
        <CreatePage isAdmin={isAdmin} />
      </Route>
      <Route path="/clusters/:organization/:id/:section?">
        {({ organization, id, section }) => (
          <ClusterPage key={id} cluster={{ organization_id: organization, id }} section={section} isAdmin={isAdmin} />
        )}
      </Route>
      <Route>
        <Redirect to={pages.list} replace />
      </Route>
    </Switch>
  )
}
