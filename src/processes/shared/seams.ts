import type { EndingKubeconfig } from '../../kube/index.ts'
import type { Actor, Listed, PageOptions, Runner, Tx } from '../../store/index.ts'

/*
 * What domains of one process need of each other. Domains never import each other: each has a port for what it needs, and
 * another one offers it here. A domain that is not in the process offers nothing.
 */

export interface OfferedClusters {
  readonly directory: {
    usable(on: Runner, userId: string, clusterId: string): Promise<{ readonly name: string } | undefined>
  }
  readonly access: {
    kubeconfig(clusterId: string, signal: AbortSignal): Promise<EndingKubeconfig | undefined>
  }
}

export interface OfferedApp {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly status: string
  readonly statusSince: number
}

export interface OfferedApps {
  list(tx: Tx, clusterId: string, page: PageOptions): Promise<Listed<OfferedApp>>
  of(tx: Tx, clusterId: string): Promise<readonly string[]>
  removeAll(tx: Tx, actor: Actor, clusterId: string): Promise<void>
}

export interface Seams {
  readonly clusters: OfferedClusters
  readonly apps: OfferedApps
  offerClusters(clusters: OfferedClusters): void
  offerApps(apps: OfferedApps): void
}

/** What is asked before it was offered is asked of nobody: there is no cluster, and no app in one. */
export function openSeams(): Seams {
  let clusters: OfferedClusters | undefined
  let apps: OfferedApps | undefined
  return {
    clusters: {
      directory: { usable: async (...asked) => await clusters?.directory.usable(...asked) },
      access: {
        async kubeconfig(...asked) {
          if (clusters === undefined) throw new Error('this process has no clusters')
          return await clusters.access.kubeconfig(...asked)
        },
      },
    },
    apps: {
      list: async (...asked) => (await apps?.list(...asked)) ?? { items: [], next: null },
      of: async (...asked) => (await apps?.of(...asked)) ?? [],
      removeAll: async (...asked) => await apps?.removeAll(...asked),
    },
    offerClusters: (offered) => void (clusters = offered),
    offerApps: (offered) => void (apps = offered),
  }
}
