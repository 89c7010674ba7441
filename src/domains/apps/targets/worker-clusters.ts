import { atEnd, every, type Service } from '../../../kernel/index.ts'
import { errorOf, type Transport } from '../../../kube/index.ts'
import { ClusterTargets } from './cluster-targets.ts'
import type { Clusters } from './port.ts'
import { recoveryWakes } from './recovery-wakes.ts'
import { appsTarget, type AppsTarget, type TargetDeps } from './target.ts'

/** How soon a worker notices that a cluster is in use, apart from being told by a run, and that it is not any more. */
const LOOK_MS = 30_000

export interface WorkerClusters {
  readonly targets: ClusterTargets<AppsTarget>
  readonly services: readonly Service[]
}

/** Stays connected to all clusters that deployments are in, so that what happens in them is seen. */
export function workerClusters({ access, connect, inUse }: Clusters, deps: TargetDeps): WorkerClusters {
  const { clock, emitter } = deps
  const wakes = recoveryWakes({ ...deps, onError: (error) => emitter.emit('apps:clustersUnknown', { error }) })
  const targets = new ClusterTargets<AppsTarget>({
    access,
    clock,
    open(clusterId, config) {
      const connection = connect(clusterId, config)
      const target = appsTarget({ ...deps, ...connection, clusterId })
      return {
        target,
        services: [...connection.services, ...target.services],
        probe: (signal) => answering(connection.transport, signal),
        close: () => connection.close(),
      }
    },
    onChange: (cluster, away) => emitter.emit('apps:cluster', { cluster, ...(away && { failure: away.failure }) }),
    onRecovered: (cluster) => wakes.recovered(cluster),
  })
  const look = async (): Promise<void> => {
    const used = new Set(await inUse())
    for (const id of used) targets.open(id)
    await targets.closeUnless((id) => used.has(id))
    await wakes.again()
  }
  return {
    targets,
    services: [
      atEnd('apps clusters', async () => {
        await targets.close()
        await wakes.close()
      }),
      every('apps clusters in use', LOOK_MS, look, {
        clock,
        onError: (error) => emitter.emit('apps:clustersUnknown', { error }),
      }),
    ],
  }
}

/** More than a target waits for. */
const PROBE_MS = 15_000

/**
 * Resolves once the API server has answered from its storage. It answers `/version` without, and would seem usable while no
 * app in it is.
 */
export async function answering(transport: Transport, signal: AbortSignal): Promise<void> {
  const path = '/api/v1/namespaces'
  const response = await transport.send({ method: 'GET', path, query: { limit: 1 }, timeoutMs: PROBE_MS, signal })
  if (response.status >= 300) throw errorOf(`GET ${path}`, response)
}
