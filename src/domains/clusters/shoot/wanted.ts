import {
  CLUSTER_ID,
  CLUSTER_NAME,
  ORGANIZATION_ID,
  type Shoot,
  type ShootDraft,
  type ShootWorker,
} from '../gardener/shoot.ts'
import type { Cluster, NodePool } from '../types.ts'
import { projectName, projectOfNamespace, shootName, workerName } from './names.ts'
import { isSameMinor, isVersionMet, versionOf } from './version.ts'

/** How Shoots of this installation are written. */
export interface GardenerSettings {
  /** `local`, `aws`, … */
  readonly providerType: string
  readonly cloudProfile: string
  readonly credentialsBindingName?: string
  /** The namespace of a CredentialsBinding that is copied into the namespace of each project. Absent: none is copied. */
  readonly credentialsFrom?: string
  /** The namespace of all Shoots. Absent: each organization has a project with a namespace of its own. */
  readonly namespace?: string
  /** The characters that the names of project and Shoot may have together. */
  readonly maxShootNameLen: number
  readonly networkingType: string
  readonly nodesCidr?: string
  /** Absent: Gardener chooses the newest of the CloudProfile. */
  readonly machineImage?: { readonly name: string; readonly version?: string }
}

/** The name of the project that a cluster belongs to. */
export const projectFor = (organizationId: string, { namespace }: Pick<GardenerSettings, 'namespace'>): string =>
  namespace === undefined ? projectName(organizationId) : projectOfNamespace(namespace)

/** The name of the Shoot of a cluster. Throws where the settings leave no room for one. */
export const shootNameFor = (
  cluster: Pick<Cluster, 'id' | 'organizationId'>,
  settings: Pick<GardenerSettings, 'namespace' | 'maxShootNameLen'>,
): string => shootName(cluster.id, projectFor(cluster.organizationId, settings), settings.maxShootNameLen)

/**
 * The Shoot that a row asks for: every field that Caelus owns, and no other. An existing Shoot keeps its `name`, also when
 * the settings that names derive from have changed.
 */
export function wantedShoot(
  cluster: Cluster,
  settings: GardenerSettings,
  namespace: string,
  name: string = shootNameFor(cluster, settings),
): ShootDraft {
  const { maintenance } = cluster
  return {
    apiVersion: 'core.gardener.cloud/v1beta1',
    kind: 'Shoot',
    metadata: {
      name,
      namespace,
      labels: { [CLUSTER_ID]: cluster.id, [ORGANIZATION_ID]: cluster.organizationId },
      annotations: { [CLUSTER_NAME]: cluster.name },
    },
    spec: {
      cloudProfile: { kind: 'CloudProfile', name: settings.cloudProfile },
      region: cluster.region,
      ...(settings.credentialsBindingName !== undefined && { credentialsBindingName: settings.credentialsBindingName }),
      kubernetes: { version: cluster.kubernetesVersion },
      networking: {
        type: settings.networkingType,
        ...(settings.nodesCidr !== undefined && { nodes: settings.nodesCidr }),
      },
      hibernation: { enabled: cluster.isHibernated },
      ...(maintenance !== null && {
        maintenance: {
          autoUpdate: {
            kubernetesVersion: maintenance.updateKubernetes,
            machineImageVersion: maintenance.updateMachineImage,
          },
          timeWindow: { begin: maintenance.begin, end: maintenance.end },
        },
      }),
      provider: {
        type: settings.providerType,
        workers: cluster.nodePools.map((pool) => workerOf(pool, settings.machineImage)),
      },
    },
  }
}

/** One node more than ordered during a roll, and none less. */
export const MAX_SURGE = 1

const workerOf = (pool: NodePool, image: GardenerSettings['machineImage']): ShootWorker => ({
  name: workerName(pool.name),
  machine: { type: pool.machineType, ...(image !== undefined && { image }) },
  minimum: pool.autoscaleMin,
  maximum: pool.autoscaleMax,
  maxSurge: MAX_SURGE,
  maxUnavailable: 0,
})

/**
 * The draft with what Gardener has completed or raised since: asking for `1.34` again would move the cluster to the newest
 * patch outside of its maintenance window, and asking for an older version is refused. What the settings alone decide stays as
 * it was made: they say what new clusters have. Gardener refuses every change of one that asks for another network, provider
 * or CloudProfile, and another image would replace all nodes of all clusters at once.
 */
export function withCompleted(wanted: ShootDraft, live: Shoot | undefined): ShootDraft {
  if (live === undefined) return wanted
  const { kubernetes, provider, networking, cloudProfile } = wanted.spec
  const { type, nodes } = live.spec.networking ?? {}
  const version = isVersionMet(kubernetes.version, live.spec.kubernetes.version)
    ? live.spec.kubernetes.version
    : kubernetes.version
  const isSameKubernetes = isSameMinorText(version, live.spec.kubernetes.version)
  const workers = provider.workers?.map((worker) =>
    withLiveImage(
      worker,
      live.spec.provider.workers?.find(({ name }) => name === worker.name),
      isSameKubernetes,
    ),
  )
  return {
    ...wanted,
    spec: {
      ...wanted.spec,
      ...(cloudProfile !== undefined && { cloudProfile: live.spec.cloudProfile ?? cloudProfile }),
      kubernetes: { ...kubernetes, version },
      networking: { ...networking, ...(type !== undefined && { type }), ...(nodes !== undefined && { nodes }) },
      provider: { ...provider, type: live.spec.provider.type, ...(workers !== undefined && { workers }) },
    },
  }
}

function isSameMinorText(one: string, other: string): boolean {
  const [a, b] = [versionOf(one), versionOf(other)]
  return a !== undefined && b !== undefined && isSameMinor(a, b)
}

/** Nodes get another image when a change replaces them anyway: by another machine type or minor version of Kubernetes. */
function withLiveImage(worker: ShootWorker, live: ShootWorker | undefined, isSameKubernetes: boolean): ShootWorker {
  const [image, present] = [worker.machine.image, live?.machine.image]
  if (image === undefined || present === undefined) return worker
  if (isSameKubernetes && live?.machine.type === worker.machine.type)
    return { ...worker, machine: { ...worker.machine, image: present } }
  if (image.version === undefined || present.version === undefined || present.name !== image.name) return worker
  if (!isVersionMet(image.version, present.version)) return worker
  return { ...worker, machine: { ...worker.machine, image: { ...image, version: present.version } } }
}
