import { cidr, duration, integer, machineImage, namespace, oneOf, path, text } from './kinds.ts'
import { section, type ValuesOf } from './section.ts'
import { optional, variable } from './variable.ts'

const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

/** What the API and the worker must agree on. */
export const CLUSTERS = section({
  title: 'Clusters',
  readBy: '`up`, `api`, `run-cluster-worker`, and `run-worker-loop` for apps in clusters',
  prefix: 'GARDENER_',
  variables: {
    mode: variable(
      'GARDENER_MODE',
      oneOf('mock', 'real'),
      'mock',
      'Gardener to converge clusters into. `mock` simulates one in the memory of the process and makes no clusters.',
    ),
    kubeconfig: optional(
      'GARDENER_KUBECONFIG',
      path,
      "Kubeconfig of the garden, which serves Gardener's API. Needed when the mode is `real`; without it `caelus up` starts a garden here.",
    ),
    namespace: optional(
      'GARDENER_NAMESPACE',
      namespace,
      'The one namespace for all Shoots, such as `garden-fundament`; its project must exist. Default: a project for each organization, made by Caelus.',
    ),
    providerType: variable(
      'GARDENER_PROVIDER_TYPE',
      text,
      'local',
      'Type of the infrastructure: `local`, `metal`, `aws` or another one that Gardener has an extension for.',
    ),
    cloudProfile: variable(
      'GARDENER_CLOUD_PROFILE',
      text,
      'local',
      'CloudProfile that says which regions, versions and machine types there are.',
    ),
    credentialsBinding: optional(
      'GARDENER_CREDENTIALS_BINDING_NAME',
      text,
      'CredentialsBinding with the credentials of the infrastructure. The provider `local` needs none: without one it is `local`.',
    ),
    maxShootNameLen: variable(
      'GARDENER_MAX_SHOOT_NAME_LEN',
      integer(12, 63),
      '21',
      'The most characters that the names of project and Shoot may have together. Gardener refuses more than 21, whatever the provider.',
    ),
    credentialsNamespace: variable(
      'CAELUS_CLUSTERS_CREDENTIALS_NAMESPACE',
      namespace,
      'garden',
      'Namespace with the CredentialsBinding that is copied into the namespace of each project that Caelus makes.',
    ),
    networkingType: variable(
      'CAELUS_CLUSTERS_NETWORKING_TYPE',
      text,
      'calico',
      'Network of the pods: `calico`, `cilium` or another one that Gardener has an extension for.',
    ),
    nodesCidr: variable('CAELUS_CLUSTERS_NODES_CIDR', cidr, '10.0.0.0/16', 'Network of the nodes of each cluster.'),
    machineImage: optional(
      'CAELUS_CLUSTERS_MACHINE_IMAGE',
      machineImage,
      'Image of the nodes, as `name` or `name:version` of the CloudProfile. Default: the choice of Gardener.',
    ),
    orphanGrace: variable(
      'CAELUS_CLUSTERS_ORPHAN_GRACE',
      duration(minute, 30 * day),
      '10m',
      'Shoots of Caelus without a cluster are deleted when they are older than this.',
    ),
    orphansAtMost: variable(
      'CAELUS_CLUSTERS_ORPHANS_AT_MOST',
      integer(0, 10_000),
      '3',
      'The most Shoots without a cluster that one pass deletes. If there are more, and they have no row at all or are most of all Shoots, none is deleted.',
    ),
  },
})

export type ClustersConfig = ValuesOf<typeof CLUSTERS>

/** Names that other programs have too, so that nothing but the worker of clusters reads them. */
export const CLUSTER_WORKER = section({
  title: 'Worker of clusters',
  readBy: '`run-cluster-worker`; the worker of clusters in `up` has the defaults',
  variables: {
    logLevel: variable(
      'LOG_LEVEL',
      oneOf('debug', 'info', 'warn', 'error'),
      'info',
      'Lowest level of the log lines of this process. CAELUS_LOG_LEVEL counts if it is not set.',
    ),
    pollInterval: variable(
      'POLL_INTERVAL',
      duration(100, 60 * minute),
      '30s',
      'How often due work is asked for when nothing notified. Claims of dead workers are looked for as often as CAELUS_WORKER_POLL says, which finds such work too if it is more often.',
    ),
    reconcileInterval: variable(
      'RECONCILE_INTERVAL',
      duration(second, 7 * day),
      '5m',
      'How often every cluster is compared with its Shoot, and orphans are looked for.',
    ),
    statusPollInterval: variable(
      'STATUS_POLL_INTERVAL',
      duration(second, 60 * minute),
      '30s',
      'How often Gardener is polled for the status of clusters while the watch on Shoots is interrupted.',
    ),
    statusPollBatchSize: variable(
      'STATUS_POLL_BATCH_SIZE',
      integer(1, 10_000),
      '50',
      'The most clusters that one such poll checks.',
    ),
    healthPort: variable(
      'HEALTH_PORT',
      integer(0, 65_535),
      '8097',
      'Port of `/healthz`, `/readyz` and `/metrics` of this process; 0 picks a free one.',
    ),
    shutdownTimeout: variable(
      'SHUTDOWN_TIMEOUT',
      duration(0, 10 * minute),
      '30s',
      'How long running syncs may finish after SIGTERM.',
    ),
  },
})

export type ClusterWorkerConfig = ValuesOf<typeof CLUSTER_WORKER>
