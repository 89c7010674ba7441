import { appsCommands } from '../../cli/commands/apps/index.ts'
import { APPS } from '../../config/apps.ts'
import { CLUSTERS } from '../../config/clusters.ts'
import { OF_PROCESSES } from '../../config/index.ts'
import type { Domain } from '../domain.ts'

/** It works inside of clusters, too. */
const OF_WORKER = [...OF_PROCESSES, APPS, CLUSTERS]

export const apps: Domain = {
  name: 'apps',
  section: APPS,
  commands: (program, ports, { env, config, untilEnded }) =>
    appsCommands(program, {
      ...ports,
      async appsWorker(options) {
        const { appsWorkerPort } = await import('./worker-commands.ts')
        const port = appsWorkerPort(config(OF_WORKER), env, options)
        return { ...port, loop: () => untilEnded(port.loop()) }
      },
    }),
  open: async () => (await import('./process.ts')).appsProcess(),
}
