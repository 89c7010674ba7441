import type { Routes } from '../../app.ts'
import { chartSourceRoutes } from './chart-sources.ts'
import { deploymentRoutes } from './deployments.ts'
import { insightRoutes } from './insight.ts'
import { jobRoutes } from './jobs.ts'
import type { AppsParts } from './parts.ts'
import { productRoutes } from './products.ts'
import { revisionRoutes } from './revisions.ts'
import { templateRoutes } from './templates.ts'
import { tenantRoutes } from './tenants.ts'

export { appsChanges } from '../../live/apps.ts'
export type { AppsInsight } from './parts.ts'
export { resourceView } from './views.ts'

const ALL = [
  tenantRoutes,
  productRoutes,
  templateRoutes,
  chartSourceRoutes,
  deploymentRoutes,
  revisionRoutes,
  insightRoutes,
  jobRoutes,
]

/** Everything that people and programs may do with apps. Routes parse, call and print; they do not decide. */
export const appsRoutes =
  (parts: AppsParts): Routes =>
  (app) => {
    for (const add of ALL) add(app, parts)
  }
