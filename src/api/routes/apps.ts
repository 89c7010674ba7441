import type { Routes } from '../app.ts'
import { deploymentRoutes } from './apps-deployments.ts'
import { insightRoutes } from './apps-insight.ts'
import { jobRoutes } from './apps-jobs.ts'
import type { AppsParts } from './apps-parts.ts'
import { productRoutes } from './apps-products.ts'
import { templateRoutes } from './apps-templates.ts'
import { userRoutes } from './apps-users.ts'

const ALL = [userRoutes, productRoutes, templateRoutes, deploymentRoutes, insightRoutes, jobRoutes]

/** Everything that people and programs may do with apps. Routes parse, call and print; they do not decide. */
export const appsRoutes =
  (parts: AppsParts): Routes =>
  (app) => {
    for (const add of ALL) add(app, parts)
  }
