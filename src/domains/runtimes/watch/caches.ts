import type { Service as Running } from '../../../kernel/index.ts'
import {
  cache,
  keeping,
  Pod,
  ReplicaSet,
  requireStreams,
  Service,
  type Cache,
  type CacheSpec,
  type HorizontalPodAutoscaler,
  type IndexFn,
  type Keep,
  type KubeObject,
  type Transport,
  type WatchDeps,
} from '../../../kube/index.ts'
import type { ChildCache } from './served-kinds.ts'
import { ClassRuntime } from '../class-runtime.ts'
import { resourceOf } from './optional-kinds.ts'
import { statusHidden } from '../masking.ts'
import { joined } from './joined-cache.ts'
import { ownerLabel } from '../names.ts'
import { REVISION } from '../judge/superseded-pods.ts'
import { MANAGED_KINDS, OWNER_LABEL, type ManagedKind } from '../types.ts'

/** What finds the routers of a namespace. */
const ROUTERS = 'app=router,platform=oaas'

/** Names of indexes. */
export const OWNER = 'owner'
export const TARGET = 'target'
export const NAMESPACE = 'namespace'

export interface Caches {
  readonly runtimes: Cache<ClassRuntime>
  /** Those with an owner label, and of those only what tells how their containers fare. */
  readonly pods: Cache<Pod>
  /** Of workloads with an owner label: which of their revisions is which. */
  readonly replicaSets: Cache<KubeObject>
  readonly routers: Cache<Service>
  readonly services: readonly Running[]
}

/** `namespace/label`: what a runtime and all that is made for it have in common. */
export const ownerOf = ({ metadata }: KubeObject): string | undefined => {
  const label = metadata.labels?.[OWNER_LABEL]
  return label === undefined ? undefined : `${metadata.namespace}/${label}`
}

export const ownerKey = ({ metadata }: KubeObject): string => `${metadata.namespace}/${ownerLabel(metadata.name)}`

const byOwnerKey: IndexFn<KubeObject> = (object) => {
  const owner = ownerOf(object)
  return owner === undefined ? [] : [owner]
}

/** What an autoscaler moves: `namespace/deployment`. */
export const targetOf = ({ metadata, spec }: HorizontalPodAutoscaler): string | undefined =>
  spec.scaleTargetRef.kind === 'Deployment' ? `${metadata.namespace}/${spec.scaleTargetRef.name}` : undefined

const byTarget: IndexFn<KubeObject> = (object) => {
  const target = targetOf(object as HorizontalPodAutoscaler)
  return target === undefined ? [] : [target]
}

const byNamespace: IndexFn<KubeObject> = ({ metadata }) => [metadata.namespace ?? '']

/** Absent: those of every namespace. */
export interface NamespaceScope {
  readonly namespaces?: readonly string[]
}

/** Rights may end at the namespaces that are named, and then so must each list and watch. */
function cacheIn<T extends KubeObject>(
  watching: WatchDeps,
  { namespaces }: NamespaceScope,
  { where, ...spec }: CacheSpec<T, T>,
): Cache<T> {
  if (namespaces === undefined) return cache(watching, { ...spec, ...(where && { where }) })
  return joined(
    new Map(
      namespaces.map((namespace) => [namespace, cache<T>(watching, { ...spec, where: { ...where, namespace } })]),
    ),
  )
}

/** Watches for each namespace: those of `openCaches`, and one for each managed kind. */
const WATCHES = 4 + MANAGED_KINDS.length
/** Watches besides: definitions and the lease of the leader. */
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

export function openCaches(watching: WatchDeps, extent: NamespaceScope = {}): Caches {
  const runtimes = cacheIn<ClassRuntime>(watching, extent, {
    resource: ClassRuntime,
    indexes: { [OWNER]: (runtime) => [ownerKey(runtime)], [NAMESPACE]: byNamespace },
  })
  const pods = cacheIn<Pod>(watching, extent, {
    resource: Pod,
    where: { labels: OWNER_LABEL },
    keep: keepPod,
    indexes: { [OWNER]: byOwnerKey },
  })
  const replicaSets = cacheIn<KubeObject>(watching, extent, {
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
  const routers = cacheIn<Service>(watching, extent, {
    resource: Service,
    where: { labels: ROUTERS },
    keep: keeping('spec.ports.name', 'spec.ports.port'),
    indexes: { [NAMESPACE]: byNamespace },
  })
  return { runtimes, pods, replicaSets, routers, services: [pods, replicaSets, routers, runtimes] }
}

/** All autoscalers, because one that aims at a workload of ours may be anybody's; of the other kinds those with our label. */
export function openChildCache(watching: WatchDeps, kind: ManagedKind, extent: NamespaceScope = {}): ChildCache {
  const isAutoscaler = kind === 'HorizontalPodAutoscaler'
  return cacheIn<KubeObject>(watching, extent, {
    resource: resourceOf(kind),
    where: isAutoscaler ? {} : { labels: OWNER_LABEL },
    keep: keptOf(kind),
    indexes: { [OWNER]: byOwnerKey, ...(isAutoscaler && { [TARGET]: byTarget }) },
  })
}

const META = ['metadata.labels', 'metadata.annotations', 'metadata.ownerReferences'] as const

/** What is compared with what we render, and what readiness is read from. A test holds it against every template. */
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
