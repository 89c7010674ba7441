import { clustersCommands } from '../../cli/commands/clusters/index.ts'
import { CLUSTER_WORKER, CLUSTERS } from '../../config/clusters.ts'
import { OF_PROCESSES } from '../../config/index.ts'
import type { Domain } from '../domain.ts'

const OF_WORKER = [...OF_PROCESSES, CLUSTERS, CLUSTER_WORKER]

export const clusters: Domain = {
  name: 'clusters',
  section: CLUSTERS,
  ownSection: CLUSTER_WORKER,
  commands: (program, ports, { env, config, untilEnded }) =>
    clustersCommands(program, {
      ...ports,
      async clusterWorker(options) {
        const { runClusterWorker } = await import('./worker-commands.ts')
        await untilEnded(runClusterWorker(config(OF_WORKER), env, options))
      },
    }),
  open: async () => (await import('./process.ts')).clustersProcess(),
}
