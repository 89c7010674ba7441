export * from './deployments.ts'
export { deploymentRows, livingDeployments } from './deployment-rows.ts'
export * from './clusters.ts'
export * from './jobs.ts'
export { verifiedReleaseStore } from './verified-releases.ts'
export * from './chart-sources.ts'
export * from './products.ts'
export * from './revisions.ts'
export {
  findOrderable,
  findTemplate,
  findTwin,
  insertGrant,
  insertTemplate,
  listTemplates,
  lockTemplate,
  removeTemplate,
  revokeGrant,
  type NewGrant,
  type NewTemplate,
} from './templates.ts'
export * from './tenants.ts'
export { appsUsage } from './usage.ts'
