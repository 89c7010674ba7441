import { CLUSTER_WORKER, type ClustersConfig, type ClusterWorkerConfig } from '../../config/clusters.ts'
import { invalid, readConfig } from '../../config/index.ts'
import { shootNameFor, type ClustersWorkerDeps, type GardenerSettings } from '../../domains/clusters/index.ts'
import { failureOf } from '../../kernel/index.ts'

/**
 * How Shoots are written, from the configuration. Gardener asks for a CredentialsBinding of the provider `local` too. Throws
 * where no Shoot could be given a name: every order would fail.
 */
export function gardenerSettings(c: ClustersConfig): GardenerSettings {
  const binding = c.credentialsBinding ?? (c.providerType === 'local' ? 'local' : undefined)
  const settings = {
    providerType: c.providerType,
    cloudProfile: c.cloudProfile,
    maxShootNameLen: c.maxShootNameLen,
    networkingType: c.networkingType,
    nodesCidr: c.nodesCidr,
    ...(binding !== undefined && { credentialsBindingName: binding, credentialsFrom: c.credentialsNamespace }),
    ...(c.namespace !== undefined && { namespace: c.namespace }),
    ...(c.machineImage !== undefined && { machineImage: c.machineImage }),
  }
  try {
    shootNameFor({ id: '', organizationId: '' }, settings)
  } catch (error) {
    throw invalid([failureOf(error).message])
  }
  return settings
}

/** How the worker paces itself. Claims of dead workers are found by polling too, so it is never rarer than `claimsMs`. */
export const workerPace = (
  { pollInterval, reconcileInterval, statusPollInterval, statusPollBatchSize }: ClusterWorkerConfig,
  { orphanGrace, orphansAtMost }: ClustersConfig,
  claimsMs: number,
) =>
  ({
    pollMs: Math.min(pollInterval, claimsMs),
    passMs: reconcileInterval,
    statusPollMs: statusPollInterval,
    statusPollAtMost: statusPollBatchSize,
    orphans: { graceMs: orphanGrace, atMost: orphansAtMost },
  }) satisfies Partial<ClustersWorkerDeps>

/** For a worker inside another process, which does not read variables of the worker. */
export const WORKER_DEFAULTS = readConfig({}, { sections: [CLUSTER_WORKER] }).of(CLUSTER_WORKER)
