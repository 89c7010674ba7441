import type { Masker } from '../../kernel/index.ts'
import {
  at,
  type At,
  type CoreV1,
  type HorizontalPodAutoscaler,
  type KubeObject,
  type Service,
} from '../../kube/index.ts'
import { NAMESPACE, OWNER, ownerKey, TARGET, type Caches, type ManagedCaches } from './watch/caches.ts'
import type { ClassRuntime } from './class-runtime.ts'
import { hiding } from './masking.ts'
import type { LocalState } from './watch/local-state.ts'
import { functionLabel } from './names.ts'
import { isEnforced } from './nfr/live.ts'
import { supersededPods } from './judge/superseded-pods.ts'
import { utilizationOf } from './nfr/hpa-utilization.ts'
import {
  COMPONENT_LABEL,
  FUNCTION_LABEL,
  type Component,
  type Done,
  type Observed,
  type ObservedAutoscaler,
  type ObservedChild,
  type ObservedContainer,
  type ObservedPod,
  type Router,
} from './types.ts'

export interface ObserveDeps {
  readonly caches: Caches
  readonly apis: Pick<ManagedCaches, 'served' | 'cacheOf'>
  readonly memory: LocalState
}

/** Everything that a run decides upon, from the caches alone. `undefined`: there is no such runtime. */
export function observe(sight: ObserveDeps, where: At, done: readonly Done[], now: number): Observed | undefined {
  const { caches, apis, memory } = sight
  const runtime = caches.runtimes.get(where)
  if (runtime === undefined) return undefined
  const served = apis.served()
  const owner = ownerKey(runtime)
  const children = served.flatMap((kind) =>
    (apis.cacheOf(kind)?.byIndex(OWNER, owner) ?? [])
      .filter((object) => isOurs(object, runtime))
      .map((object): ObservedChild => {
        const { name, uid = '', deletionTimestamp } = object.metadata
        return { kind, name, uid, deleting: deletionTimestamp !== undefined, object }
      }),
  )
  return {
    runtime,
    children,
    pods: podsOf(caches, runtime, children),
    autoscalers: autoscalersOf(sight, runtime, children),
    routers: routersIn(caches, runtime.metadata.namespace ?? ''),
    served,
    mutated: memory.mutatedOf(runtime),
    recent: memory.recent(now),
    done,
  }
}

/** Bears our label, and is controlled by this very runtime or by nobody. */
function isOurs({ metadata }: KubeObject, runtime: ClassRuntime): boolean {
  const controller = metadata.ownerReferences?.find((reference) => reference.controller === true)
  return controller === undefined || controller.uid === runtime.metadata.uid
}

function autoscalersOf(
  { apis }: ObserveDeps,
  runtime: ClassRuntime,
  children: readonly ObservedChild[],
): ObservedAutoscaler[] {
  const { namespace, uid: owner } = runtime.metadata
  const all = apis.cacheOf('HorizontalPodAutoscaler')
  if (all === undefined) return []
  const targets = children.filter(({ kind }) => kind === 'Deployment').map(({ name }) => name)
  return targets.flatMap((target) =>
    (all.byIndex(TARGET, `${namespace}/${target}`) as HorizontalPodAutoscaler[]).map(({ metadata, spec }) => ({
      name: metadata.name,
      target,
      minReplicas: spec.minReplicas ?? 1,
      maxReplicas: spec.maxReplicas,
      isOurs: metadata.ownerReferences?.some(({ uid }) => uid === owner) ?? false,
      utilization: utilizationOf(spec),
      ...(isEnforced({ metadata }, 'replicas') && { isEnforced: true }),
    })),
  )
}

/** What a container said last ends up in status and events; it may have said what it was configured with. */
function podsOf(caches: Caches, runtime: ClassRuntime, children: readonly ObservedChild[]): ObservedPod[] {
  const { text } = hiding(runtime)
  const owner = ownerKey(runtime)
  const isSuperseded = supersededPods(children, caches.replicaSets.byIndex(OWNER, owner))
  return caches.pods.byIndex(OWNER, owner).map((pod) => {
    const { metadata, status } = pod
    const label = metadata.labels?.[FUNCTION_LABEL]
    const named = (runtime.spec.functions ?? []).find(({ function_key: key }) => functionLabel(key) === label)
    const unscheduled = status?.conditions?.find(
      ({ type, status: is, reason }) => type === 'PodScheduled' && is === 'False' && reason === 'Unschedulable',
    )
    return {
      name: metadata.name,
      uid: metadata.uid ?? '',
      deleting: metadata.deletionTimestamp !== undefined,
      ...(isSuperseded(pod) && { isSuperseded: true }),
      component: (metadata.labels?.[COMPONENT_LABEL] ?? 'function') as Component,
      ...(named !== undefined && { functionKey: named.function_key }),
      ...(unscheduled !== undefined && { unschedulable: unscheduled.message ?? '' }),
      containers: [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map((container) =>
        containerOf(container, text),
      ),
    }
  })
}

function containerOf(container: CoreV1.ContainerStatus, { excerpt }: Masker): ObservedContainer {
  const { name, ready, restartCount, state, lastState } = container
  const { waiting, running } = state ?? {}
  const ended = lastState?.terminated ?? state?.terminated
  const startedAt = running?.startedAt
  return {
    name,
    ready,
    restarts: restartCount,
    ...(waiting?.reason !== undefined && { waiting: waiting.reason }),
    ...(waiting?.message !== undefined && { message: excerpt(waiting.message) }),
    ...(startedAt !== undefined && { startedAt: Date.parse(startedAt) }),
    ...(ended !== undefined && {
      lastExit: { reason: ended.reason ?? '', exitCode: ended.exitCode, message: excerpt(ended.message ?? '').trim() },
    }),
  }
}

/** Always in the same order: they are told to workloads, and another order would be another text. */
const routersIn = ({ routers }: Caches, namespace: string): Router[] =>
  routers
    .byIndex(NAMESPACE, namespace)
    .flatMap(routersOf)
    .toSorted((a, b) => (a.service < b.service ? -1 : 1))

const routersOf = (service: Service): Router[] => {
  const ports = service.spec?.ports ?? []
  const port = ports.find(({ name }) => name === 'zenoh') ?? ports[0]
  return port === undefined ? [] : [{ service: at(service).name, port: port.port }]
}
