import { join } from 'node:path'
import type { ClusterConnection } from '../../domains/apps/index.ts'
import { helmCli, releases } from '../../domains/apps/helm/index.ts'
import { systemClock, type Emitter } from '../../kernel/index.ts'
import {
  discovery,
  kubeLocks,
  makeClient,
  type ConnectionEvents,
  type KubeConfig,
  type RequestEvents,
} from '../../kube/index.ts'
import { callsOutsideTransactions, connectTo, LIMITS_OF_OTHERS } from '../shared/connect.ts'
import { LOCK_NAMESPACE, lockNamespaceService } from '../shared/lock-namespace.ts'

export interface ClusterConnectionOptions {
  /** Path or name of the Helm binary. */
  readonly helm: string
  /** A folder of ours: what Helm remembers of one cluster is not true of another. */
  readonly home: string
  /** All that Helm sees of our environment. @default nothing */
  readonly env?: Readonly<Record<string, string>>
  readonly renderMs?: number
  /** @default the system's */
  readonly tempDir?: string
  readonly emitter: Emitter<RequestEvents & ConnectionEvents>
  readonly onError: (error: unknown, what: string) => void
}

/** How apps connect to the API server of a cluster. */
export const connectCluster =
  ({ helm: binary, home, emitter, onError, ...more }: ClusterConnectionOptions) =>
  (clusterId: string, config: KubeConfig): ClusterConnection => {
    const transport = connectTo(config, emitter, LIMITS_OF_OTHERS)
    const client = makeClient(transport, { fieldManager: 'caelus' })
    const kinds = discovery(transport, systemClock)
    const helm = helmCli({ binary, kubeconfig: config, kinds, home: join(home, 'clusters', clusterId), ...more })
    return {
      transport,
      helm: callsOutsideTransactions('Helm', helm),
      releases: releases(client, kinds),
      locks: kubeLocks({ client, namespace: LOCK_NAMESPACE }),
      services: [
        lockNamespaceService({
          client,
          clock: systemClock,
          onError: (error) => onError(error, `Namespace of locks not created in cluster ${clusterId}`),
        }),
      ],
      async close() {
        await helm.close()
        await transport.close()
      },
    }
  }
