import { lazy } from 'react'
import type { ComponentType } from 'react'

/** Each feature is loaded when it is first visited. The pattern ends in `/*?` where the feature has pages of its own. */
export const PAGES: readonly (readonly [pattern: string, page: ComponentType])[] = [
  ['/', lazy(() => import('../features/overview/OverviewPage.tsx').then((m) => ({ default: m.OverviewPage })))],
  ['/timeline', lazy(() => import('../features/timeline/TimelinePage.tsx').then((m) => ({ default: m.TimelinePage })))],
  ['/apps/*?', lazy(() => import('../features/apps/AppsPage.tsx').then((m) => ({ default: m.AppsPage })))],
  [
    '/clusters/*?',
    lazy(() => import('../features/clusters/ClustersPage.tsx').then((m) => ({ default: m.ClustersPage }))),
  ],
  [
    '/runtimes/*?',
    lazy(() => import('../features/runtimes/RuntimesPage.tsx').then((m) => ({ default: m.RuntimesPage }))),
  ],
  ['/actions/*?', lazy(() => import('../features/actions/ActionsPage.tsx').then((m) => ({ default: m.ActionsPage })))],
  ['/edge/*?', lazy(() => import('../features/edge/EdgePage.tsx').then((m) => ({ default: m.EdgePage })))],
  [
    '/organizations/*?',
    lazy(() => import('../features/identity/OrganizationsPage.tsx').then((m) => ({ default: m.OrganizationsPage }))),
  ],
  ['/users', lazy(() => import('../features/identity/UsersPage.tsx').then((m) => ({ default: m.UsersPage })))],
  [
    '/operations/status',
    lazy(() => import('../features/status/StatusPage.tsx').then((m) => ({ default: m.StatusPage }))),
  ],
  [
    '/operations/decisions',
    lazy(() => import('../features/decisions/DecisionsPage.tsx').then((m) => ({ default: m.DecisionsPage }))),
  ],
  [
    '/operations/decisions/:id',
    lazy(() => import('../features/decisions/DecisionPage.tsx').then((m) => ({ default: m.DecisionPage }))),
  ],
  [
    '/operations/tokens',
    lazy(() => import('../features/identity/tokens/TokensPage.tsx').then((m) => ({ default: m.TokensPage }))),
  ],
  [
    '/operations/configuration',
    lazy(() =>
      import('../features/configuration/ConfigurationPage.tsx').then((m) => ({ default: m.ConfigurationPage })),
    ),
  ],
]
