import { Redirect, Route, Switch } from 'wouter'
import { DomainPage } from '../../components/page/DomainPage.tsx'
import { useMe } from '../../lib/api/queries.ts'
import { about } from './about.ts'
import { CreatePage } from './CreatePage.tsx'
import { EditPage } from './EditPage.tsx'
import { ForAdmins } from './ForAdmins.tsx'
import { PackagePage } from './PackagePage.tsx'
import { pages } from './paths.ts'
import { RuntimeList } from './RuntimeList.tsx'
import { RuntimePage } from './RuntimePage.tsx'

/** All users may read; changes are for admins. */
export function RuntimesPage() {
  const me = useMe()
  if (!me.data) return null
  const isAdmin = me.data.role === 'admin'
  return (
    <Switch>
      <Route path={pages.list}>
        <DomainPage about={about}>
          <RuntimeList isAdmin={isAdmin} />
        </DomainPage>
      </Route>
      <Route path={pages.create}>
        <ForAdmins isAdmin={isAdmin}>
          <CreatePage />
        </ForAdmins>
      </Route>
      <Route path={pages.package}>
        <ForAdmins isAdmin={isAdmin}>
          <PackagePage />
        </ForAdmins>
      </Route>
      <Route path="/runtimes/:namespace/:name/edit">
        {(ref) => (
          <ForAdmins isAdmin={isAdmin}>
            <EditPage key={`${ref.namespace}/${ref.name}`} runtime={ref} />
          </ForAdmins>
        )}
      </Route>
      <Route path="/runtimes/:namespace/:name/:section?">
        {(ref) => <RuntimePage key={`${ref.namespace}/${ref.name}`} runtime={ref} isAdmin={isAdmin} />}
      </Route>
      <Route>
        <Redirect to={pages.list} replace />
      </Route>
    </Switch>
  )
}
