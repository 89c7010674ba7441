import { Stack } from '@mantine/core'
import { Redirect, Route, Switch } from 'wouter'
import { DomainPage } from '../../components/page/DomainPage.tsx'
import { useMe } from '../../lib/api/queries.ts'
import { about } from './about.ts'
import { Catalogue } from './Catalogue.tsx'
import { DeploymentPage } from './DeploymentPage.tsx'
import { AllDeployments, MyDeployments } from './Deployments.tsx'
import { EditPage } from './EditPage.tsx'
import { OrderPage } from './OrderPage.tsx'
import { pages } from './paths.ts'
import { ProductPage } from './ProductPage.tsx'
import { Sections } from './Sections.tsx'
import { ChartSources } from './admin/ChartSources.tsx'
import { ProductAdminPage } from './admin/ProductAdminPage.tsx'
import { Products } from './admin/Products.tsx'
import { PublishPage } from './admin/PublishPage.tsx'
import { Queue } from './admin/Queue.tsx'

/** The lists share the entrance of the domain; each object has a page of its own. */
export function AppsPage() {
  const me = useMe()
  const isAdmin = me.data?.role === 'admin'
  if (!me.data) return null
  const { id: userId } = me.data
  return (
    <Switch>
      <Route path="/apps/catalogue/:product/order">
        {({ product }) => <OrderPage key={product} productId={product} userId={userId} />}
      </Route>
      <Route path="/apps/catalogue/:product">
        {({ product }) => <ProductPage key={product} productId={product} />}
      </Route>
      <Route path="/apps/users/:user/deployments/:id/edit">
        {({ user, id }) => <EditPage key={id} deployment={{ user_id: user, id }} />}
      </Route>
      <Route path="/apps/users/:user/deployments/:id">
        {({ user, id }) => (
          <DeploymentPage key={id} deployment={{ user_id: user, id }} isAdmin={isAdmin} isOwn={user === userId} />
        )}
      </Route>
      <Route path="/apps/products/:product/publish">
        {({ product }) => <PublishPage key={product} productId={product} />}
      </Route>
      <Route path="/apps/products/:product">
        {({ product }) => <ProductAdminPage key={product} productId={product} />}
      </Route>
      <Route>
        <DomainPage about={about}>
          <Stack gap="md">
            <Sections isAdmin={isAdmin} />
            <Switch>
              <Route path={pages.mine}>
                <MyDeployments userId={userId} />
              </Route>
              <Route path={pages.catalogue}>
                <Catalogue />
              </Route>
              <Route path={pages.all}>
                <AllDeployments />
              </Route>
              <Route path={pages.products}>
                <Products />
              </Route>
              <Route path={pages.sources}>
                <ChartSources />
              </Route>
              <Route path={pages.queue}>
                <Queue />
              </Route>
              <Route>
                <Redirect to={pages.mine} replace />
              </Route>
            </Switch>
          </Stack>
        </DomainPage>
      </Route>
    </Switch>
  )
}
