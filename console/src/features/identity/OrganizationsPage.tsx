import { Route, Switch } from 'wouter'
import { useMe } from '../../lib/api/queries.ts'
import { AcceptInvitation } from './AcceptInvitation.tsx'
import { OrganizationPage } from './OrganizationPage.tsx'
import { Organizations } from './Organizations.tsx'
import { pages } from './paths.ts'

export function OrganizationsPage() {
  const me = useMe()
  if (!me.data) return null
  const { data } = me
  return (
    <Switch>
      <Route path={pages.accept}>
        <AcceptInvitation me={data} />
      </Route>
      <Route path="/organizations/:id/:section?">
        {({ id, section }) => <OrganizationPage key={id} id={id} me={data} section={section} />}
      </Route>
      <Route>
        <Organizations isAdmin={data.role === 'admin'} />
      </Route>
    </Switch>
  )
}
