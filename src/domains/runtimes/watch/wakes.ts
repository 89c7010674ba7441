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
import type { ChildCache } from './served-kinds.ts'
import { NAMESPACE, OWNER, ownerOf, targetOf, type Caches } from './caches.ts'
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

/** Runtimes of one namespace take turns with those of the others. */
const tenant = ({ metadata }: KubeObject): string | undefined => metadata.namespace

/** Runtimes, their pods and the routers of their namespaces. Call it before the caches start. */
export function wakeRuntimes({ caches, queue, clock }: Waking): void {
  const how = { clock, tenant }
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
  wakeOn(caches.runtimes, queue, itself(ClassRuntime), { ...how, worth: runtimeChanged })
  wakeOn(caches.pods, queue, ofOwner, { ...how, worth: podChanged })
  wakeOn(caches.replicaSets, queue, ofOwner, { ...how, worth: revisionChanged })
  wakeOn(caches.routers, queue, ofNamespace, { ...how, worth: childChanged })
}

/** A child wakes the runtime that controls it, or, when nobody does, the one whose label it bears; an autoscaler that of its target as well. */
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
  return wakeOn(children, queue, rule, { clock, tenant, worth: childChanged, ignoreOwnWrites: true })
}

/**
 * What somebody wants, and what somebody else wrote into the status: a recommendation of ours, or a hand that should not have been there.
 * What we write ourselves tells us nothing, except the analyzer's recommendations.
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

/** Whether anything that is kept of it has changed; an autoscaler rewrites its status every few seconds. */
function childChanged(change: Change<KubeObject>): boolean {
  if (change.type !== 'changed') return true
  const { resourceVersion } = change.new.metadata
  return !sameValue({ ...change.old, metadata: { ...change.old.metadata, resourceVersion } }, change.new)
}

/** Scaling tells nothing here: its Deployment does that. */
const revisionChanged = (change: Change<KubeObject>): boolean =>
  change.type !== 'changed' ||
  change.old.metadata.annotations?.[REVISION] !== change.new.metadata.annotations?.[REVISION]

/** Pods come, become ready and go with their Deployment, which tells so itself; a pod is news when it is in trouble. */
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
