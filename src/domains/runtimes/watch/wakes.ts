import { sameValue, type Clock, type Queue } from '../../../kernel/index.ts'
import {
  controllerOf,
  itself,
  wakeOn,
  type Change,
  type HorizontalPodAutoscaler,
  type KubeObject,
  type Pod,
  type WakeRule,
} from '../../../kube/index.ts'
import { NAMESPACE, OWNER, ownerOf, targetOf, type Caches, type ChildCache } from './caches.ts'
import { ClassRuntime } from '../class-runtime.ts'
import { REVISION } from '../judge/superseded-pods.ts'
import { FINALIZER, FORCE_ANNOTATION, type ManagedKind } from '../types.ts'

interface Waking {
  readonly caches: Caches
  readonly queue: Pick<Queue, 'wake'>
  readonly clock: Clock
}

const keyOf = ({ metadata }: KubeObject) => ({
  kind: ClassRuntime.kind,
  id: `${metadata.namespace}/${metadata.name}`,
})

/** By runtimes, their pods and the routers of their namespaces. Call it before the caches start. */
export function wakeRuntimes({ caches, queue, clock }: Waking): void {
  const ofOwner: WakeRule<KubeObject> = {
    relation: 'child',
    keys(object) {
      const owner = ownerOf(object)
      return owner === undefined ? [] : caches.runtimes.byIndex(OWNER, owner).map(keyOf)
    },
  }
  const ofNamespace: WakeRule<KubeObject> = {
    relation: 'child',
    keys: ({ metadata }) => caches.runtimes.byIndex(NAMESPACE, metadata.namespace ?? '').map(keyOf),
  }
  wakeOn(caches.runtimes, queue, itself(ClassRuntime), { clock, worth: runtimeChanged })
  wakeOn(caches.pods, queue, ofOwner, { clock, worth: podChanged })
  wakeOn(caches.replicaSets, queue, ofOwner, { clock, worth: revisionChanged })
  wakeOn(caches.routers, queue, ofNamespace, { clock, worth: childChanged })
}

/** A child wakes its controlling runtime, else the runtime of its owner label. An autoscaler wakes that of its target. */
export function wakeByChild(
  { caches, queue, clock }: Waking,
  kind: ManagedKind,
  children: ChildCache,
  deployments: () => ChildCache | undefined,
): () => void {
  const byController = controllerOf(ClassRuntime)
  const keys = (object: KubeObject) => {
    const controllers = byController.keys(object)
    if (controllers.length > 0) return controllers
    const owner = ownerOf(object)
    return owner === undefined ? [] : caches.runtimes.byIndex(OWNER, owner).map(keyOf)
  }
  const keysByTarget = (object: KubeObject) => {
    const [namespace, name = ''] = (targetOf(object as HorizontalPodAutoscaler) ?? '').split('/')
    const target = deployments()?.get({ ...(namespace !== undefined && { namespace }), name })
    return target === undefined ? keys(object) : keys(target)
  }
  const rule = { relation: 'child', keys: kind === 'HorizontalPodAutoscaler' ? keysByTarget : keys } as const
  return wakeOn(children, queue, rule, { clock, worth: childChanged, ignoreOwnWrites: true })
}

/**
 * Changes of the desired state, and writes of others to the status. Of our own writes only the analyzer's
 * recommendations count.
 */
function runtimeChanged(change: Change<ClassRuntime>): boolean {
  if (change.type !== 'changed') return true
  const [old, next] = [change.old, change.new]
  return (
    old.metadata.generation !== next.metadata.generation ||
    old.metadata.deletionTimestamp !== next.metadata.deletionTimestamp ||
    old.metadata.annotations?.[FORCE_ANNOTATION] !== next.metadata.annotations?.[FORCE_ANNOTATION] ||
    (!next.metadata.finalizers?.includes(FINALIZER) && old.metadata.finalizers?.includes(FINALIZER) === true) ||
    !sameValue(old.status?.nfr_recommendations, next.status?.nfr_recommendations) ||
    (change.via !== 'write' && !sameValue(old.status, next.status))
  )
}

/** Compares the cached fields only: an autoscaler rewrites its status every few seconds. */
function childChanged(change: Change<KubeObject>): boolean {
  if (change.type !== 'changed') return true
  const { resourceVersion } = change.new.metadata
  return !sameValue({ ...change.old, metadata: { ...change.old.metadata, resourceVersion } }, change.new)
}

/** Scaling a ReplicaSet also changes its Deployment, which wakes the runtime. */
const revisionChanged = (change: Change<KubeObject>): boolean =>
  change.type !== 'changed' ||
  change.old.metadata.annotations?.[REVISION] !== change.new.metadata.annotations?.[REVISION]

/** Creation, readiness and deletion of pods also change their Deployment; only trouble of a pod counts here. */
function podChanged(change: Change<Pod>): boolean {
  const before = change.type === 'added' ? '' : troubleOf(change.old)
  const after = change.type === 'deleted' ? '' : troubleOf(change.new)
  return before !== after
}

function troubleOf({ metadata, status }: Pod): string {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  const unscheduled = status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False')
  const troubles = containers.flatMap(({ name, ready, restartCount, state }) => {
    const waiting = state?.waiting?.reason ?? ''
    return restartCount === 0 && HARMLESS.has(waiting) ? [] : [`${name} ${waiting} ${restartCount} ${ready}`]
  })
  if (unscheduled?.reason === 'Unschedulable') troubles.push(unscheduled.message ?? '')
  return troubles.length === 0 ? '' : `${metadata.deletionTimestamp ?? ''} ${troubles.join(', ')}`
}

const HARMLESS: ReadonlySet<string> = new Set(['', 'ContainerCreating', 'PodInitializing'])
