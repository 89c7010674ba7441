import { deploymentRows } from '../../../src/domains/apps/store/index.ts'
import { exerciseDeploymentRows } from '../../conformance/apps-rows.ts'
import { appsWorld, newCluster } from './world.ts'

exerciseDeploymentRows('PostgreSQL', async () => {
  const world = await appsWorld()
  const { template } = await world.product()
  let orders = 0
  return {
    queue: world.queue,
    rows: deploymentRows(world.database.openPool({ role: 'caelus_worker' })),
    async order(clusterId) {
      const input = { userId: world.ann.userId, templateId: template.id, domainname: `ann-${++orders}.example.org` }
      return (await world.apps.createDeployment(world.ann, { ...input, ...(clusterId && { clusterId }) })).id
    },
    cluster: () => newCluster(world, world.ann),
    async remove(id) {
      await world.apps.deleteDeployment(world.ann, await world.apps.getDeployment(world.ann, { id }))
    },
    async lapse() {
      await world.database.pool.query(`update caelus.job set lease_until = now() - interval '1 second'`)
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
})
