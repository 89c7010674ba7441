import type { Service as Running } from '../../../kernel/index.ts'
import {
  cacheIn,
  keeping,
  Pod,
  ReplicaSet,
  requireStreams,
  servedKinds,
  Service,
  type Cache,
  type HorizontalPodAutoscaler,
  type IndexFn,
  type Keep,
  type KubeObject,
  type NamespaceScope,
  type ServedKinds,
  type ServedKindsOptions,
  type Transport,
  type WatchDeps,
} from '../../../kube/index.ts'
import { ClassRuntime } from '../class-runtime.ts'
import { RESOURCES } from './optional-kinds.ts'
import { statusHidden } from '../masking.ts'
import { ownerLabel } from '../names.ts'
import { REVISION } from '../judge/superseded-pods.ts'
import { MANAGED_KINDS, OWNER_LABEL, type ManagedKind } from '../types.ts'

/** The label selector of routers. */
const ROUTERS = 'app=router,platform=oaas'

/** Names of indexes. */
export const OWNER = 'owner'
export const TARGET = 'target'
export const NAMESPACE = 'namespace'

export interface Caches {
  readonly runtimes: Cache<ClassRuntime>
  /** Pods with an owner label, reduced to the state of their containers. */
  readonly pods: Cache<Pod>
  /** Of workloads with an owner label, with their revision numbers. */
  readonly replicaSets: Cache<KubeObject>
  readonly routers: Cache<Service>
  readonly services: readonly Running[]
}

/** `namespace/label`, which a runtime and all its children have in common. */
export const ownerOf = ({ metadata }: KubeObject): string | undefined => {
  const label = metadata.labels?.[OWNER_LABEL]
  return label === undefined ? undefined : `${metadata.namespace}/${label}`
}

export const ownerKey = ({ metadata }: KubeObject): string => `${metadata.namespace}/${ownerLabel(metadata.name)}`

const byOwnerKey: IndexFn<KubeObject> = (object) => {
  const owner = ownerOf(object)
  return owner === undefined ? [] : [owner]
}

/** The target of an autoscaler: `namespace/deployment`. */
export const targetOf = ({ metadata, spec }: HorizontalPodAutoscaler): string | undefined =>
  spec.scaleTargetRef.kind === 'Deployment' ? `${metadata.namespace}/${spec.scaleTargetRef.name}` : undefined

const byTarget: IndexFn<KubeObject> = (object) => {
  const target = targetOf(object as HorizontalPodAutoscaler)
  return target === undefined ? [] : [target]
}

const byNamespace: IndexFn<KubeObject> = ({ metadata }) => [metadata.namespace ?? '']

/** Watches per namespace: those of `openCaches`, and one for each managed kind. */
const WATCHES = 4 + MANAGED_KINDS.length
/** Watches per process: definitions and the lease of the leader. */
const OTHER_WATCHES = 2

/** Throws if the transport allows fewer watches than these namespaces need. */
export function requireWatches(transport: Transport, { namespaces }: NamespaceScope): void {
  const count = namespaces?.length ?? 1
  const remedy =
    `Each of the ${count} namespaces in CAELUS_RUNTIMES_NAMESPACE needs ${WATCHES} watches. ` +
    `Leave the variable empty to watch all namespaces with ${WATCHES + OTHER_WATCHES} watches in total, ` +
    `or divide the namespaces among several installations.`
  requireStreams(transport, count * WATCHES + OTHER_WATCHES, remedy)
}

export function openCaches(watching: WatchDeps, scope: NamespaceScope = {}): Caches {
  const runtimes = cacheIn<ClassRuntime>(watching, scope, {
    resource: ClassRuntime,
    indexes: { [OWNER]: (runtime) => [ownerKey(runtime)], [NAMESPACE]: byNamespace },
  })
  const pods = cacheIn<Pod>(watching, scope, {
    resource: Pod,
    where: { labels: OWNER_LABEL },
    keep: keepPod,
    indexes: { [OWNER]: byOwnerKey },
  })
  const replicaSets = cacheIn<KubeObject>(watching, scope, {
    resource: ReplicaSet,
    metadataOnly: true,
    where: { labels: OWNER_LABEL },
    keep: keeping(
      'metadata.labels',
      'metadata.ownerReferences.uid',
      `metadata.annotations.${REVISION.replaceAll('.', '\\.')}`,
    ),
    indexes: { [OWNER]: byOwnerKey },
  })
  const routers = cacheIn<Service>(watching, scope, {
    resource: Service,
    where: { labels: ROUTERS },
    keep: keeping('spec.ports.name', 'spec.ports.port'),
    indexes: { [NAMESPACE]: byNamespace },
  })
  return { runtimes, pods, replicaSets, routers, services: [pods, replicaSets, routers, runtimes] }
}

export type ChildCache = Cache<KubeObject>

/** By managed kind: the API server may not serve all of them. */
export type ManagedCaches = ServedKinds<ManagedKind>

export const managedCaches = (
  watching: WatchDeps,
  scope: NamespaceScope = {},
  options: Pick<ServedKindsOptions<ManagedKind>, 'listen' | 'onChange'> = {},
): ManagedCaches =>
  servedKinds({
    watching,
    resources: RESOURCES,
    builtIn: ['Deployment', 'Service', 'HorizontalPodAutoscaler'],
    open: (kind) => openChildCache(watching, kind, scope),
    ...options,
  })

/** All autoscalers, because any user may have created the one of a workload; of the other kinds those with our label. */
export function openChildCache(watching: WatchDeps, kind: ManagedKind, scope: NamespaceScope = {}): ChildCache {
  const isAutoscaler = kind === 'HorizontalPodAutoscaler'
  return cacheIn<KubeObject>(watching, scope, {
    resource: RESOURCES[kind],
    where: isAutoscaler ? {} : { labels: OWNER_LABEL },
    keep: keptOf(kind),
    indexes: { [OWNER]: byOwnerKey, ...(isAutoscaler && { [TARGET]: byTarget }) },
  })
}

const META = ['metadata.labels', 'metadata.annotations', 'metadata.ownerReferences'] as const

/** The fields that are compared with the rendered ones, and those that readiness is read from. */
const KEPT: Readonly<Record<ManagedKind, Keep<KubeObject, KubeObject>>> = {
  Deployment: keeping(
    ...META,
    'spec.replicas',
    'spec.selector',
    'spec.template.metadata.labels',
    'spec.template.metadata.annotations',
    'spec.revisionHistoryLimit',
    'spec.strategy',
    'spec.template.spec.automountServiceAccountToken',
    'spec.template.spec.enableServiceLinks',
    'spec.template.spec.tolerations',
    'spec.template.spec.containers',
    'status.observedGeneration',
    'status.replicas',
    'status.updatedReplicas',
    'status.readyReplicas',
    'status.availableReplicas',
    'status.unavailableReplicas',
    ...['type', 'status', 'reason', 'message'].map((field) => `status.conditions.${field}`),
  ),
  Service: keeping(...META, 'spec.ports', 'spec.selector', 'spec.type'),
  KnativeService: keeping(...META, 'spec', 'status'),
  HorizontalPodAutoscaler: keeping(...META, 'spec'),
  ServiceMonitor: keeping(...META, 'spec'),
  PodMonitor: keeping(...META, 'spec'),
}

export const keptOf = (kind: ManagedKind): Keep<KubeObject, KubeObject> => KEPT[kind]

const CONTAINER = ['name', 'ready', 'restartCount', 'state', 'lastState'] as const

const trimPod = keeping<Pod>(
  'metadata.labels',
  'status.conditions',
  ...['containerStatuses', 'initContainerStatuses'].flatMap((list) =>
    CONTAINER.map((field) => `status.${list}.${field}`),
  ),
)

const keepPod: Keep<Pod, Pod> = (pod) => {
  const status = statusHidden(pod)
  return trimPod(status === undefined ? pod : { ...pod, status })
}
