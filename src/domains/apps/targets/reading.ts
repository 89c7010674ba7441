import { atEnd, every, type Service } from '../../../kernel/index.ts'
import { discovery, makeClient } from '../../../kube/index.ts'
import { raise } from '../failures.ts'
import type { AppsParts } from '../parts.ts'
import { awayOf, isSilence } from './away.ts'
import { ClusterTargets } from './cluster-targets.ts'
import type { Clusters } from './port.ts'
import { answering } from './worker-clusters.ts'

/** Runs `work` with the parts of the control plane that a deployment is in. */
export type InPlace = <R>(
  deployment: { readonly clusterId: string | null },
  signal: AbortSignal | undefined,
  work: (parts: AppsParts) => Promise<R>,
) => Promise<R>

/** Where all deployments are on the platform's own control plane. */
export const onPlatform =
  (parts: AppsParts): InPlace =>
  ({ clusterId }, _, work) => {
    if (clusterId === null) return work(parts)
    throw awayOf(clusterId, raise.ClusterUnreachable('this server is not connected to clusters'))
  }

/** How long a person waits for the first connection to a cluster. */
const CONNECTING_MS = 10_000
/** A cluster that nobody has read for this long is closed. */
const IDLE_MS = 600_000
const LOOK_MS = 60_000

export interface ReadClusters {
  readonly inPlace: InPlace
  readonly services: readonly Service[]
}

/** For looking into deployments, wherever they are. Nothing runs in a cluster because somebody looks into it. */
export function readClusters(
  { access, connect }: Pick<Clusters, 'access' | 'connect'>,
  parts: AppsParts,
): ReadClusters {
  const { clock } = parts
  const targets = new ClusterTargets<AppsParts>({
    access,
    clock,
    open(clusterId, config) {
      const connection = connect(clusterId, config)
      const { transport, helm, releases, locks } = connection
      const client = makeClient(transport, { fieldManager: 'caelus' })
      return {
        target: { ...parts, client, discovery: discovery(transport, clock), helm, releases, locks },
        services: [],
        probe: (signal) => answering(transport, signal),
        close: () => connection.close(),
      }
    },
  })
  const never = new AbortController().signal
  return {
    async inPlace({ clusterId }, signal, work) {
      if (clusterId === null) return await work(parts)
      using used = await opened(targets, clusterId, signal ?? never)
      try {
        return await work(used.target)
      } catch (error) {
        throw isSilence(error) ? used.away(error) : error
      }
    },
    services: [
      atEnd('clusters that were looked into', () => targets.close()),
      every('closing of clusters', LOOK_MS, () => targets.closeUnless((_, idleMs) => idleMs < IDLE_MS), { clock }),
    ],
  }
}

async function opened(targets: ClusterTargets<AppsParts>, clusterId: string, signal: AbortSignal) {
  const used = await targets.use(clusterId, () => CONNECTING_MS, signal)
  if (used === 'gone') throw raise.ClusterGone(`cluster ${clusterId} is gone`)
  return used
}
