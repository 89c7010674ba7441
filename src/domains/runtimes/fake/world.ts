import { sameValue, type Failure } from '../../../kernel/index.ts'
import { isFields, type Deployment, type HorizontalPodAutoscaler, type KubeObject } from '../../../kube/index.ts'
import type { ClassRuntime, ClassRuntimeSpec } from '../class-runtime.ts'
import { decide } from '../decide.ts'
import type { KnativeService } from '../watch/optional-kinds.ts'
import { isSameRef } from '../judge/child-health.ts'
import type { RuntimesSettings } from '../settings.ts'
import { utilizationOf } from '../nfr/hpa-utilization.ts'
import {
  FINALIZER,
  MANAGED_KINDS,
  type Action,
  type ChildRef,
  type Decision,
  type Done,
  type Observed,
  type ObservedAutoscaler,
  type ObservedChild,
  type RenderedChild,
} from '../types.ts'

/** A control plane with one runtime, as a value: what a run sees, and what the time is. */
export interface World {
  readonly seen: Observed
  readonly now: number
}

/** How an action ends; nothing: it succeeds. */
export type Fate = (action: Action) => Done['failure'] | undefined

export interface Played {
  readonly world: World
  /** The last one, which is recorded. */
  readonly decision: Decision
  /** Everything that was tried, in order. */
  readonly done: readonly Done[]
}

export const SETTINGS: RuntimesSettings = {
  render: { profile: 'full', hpa: false, odgm: { image: 'odgm:1', pullPolicy: 'IfNotPresent' } },
  progressTimeoutMs: 600_000,
  crashRecoveryMs: 60_000,
  orphansPerMinute: 30,
  nfr: {
    stabilityMs: 180_000,
    cooldownMs: 120_000,
    maxReplicas: 20,
    maxReplicaDelta: 30,
    maxAgeMs: 3_600_000,
    minConfidence: 0.5,
    budget: { changes: 10, windowMs: 60_000 },
  },
}

export const START = Date.parse('2030-01-01T00:00:00Z')
const MOST_ROUNDS = 6

/** A runtime that was never reconciled, in a control plane without Knative and monitoring. */
export function worldOf(spec: ClassRuntimeSpec, over: Partial<ClassRuntime['metadata']> = {}): World {
  const metadata = { name: 'cart', namespace: 'shop', uid: 'runtime', generation: 1, ...over }
  return {
    now: START,
    seen: {
      runtime: { apiVersion: 'oaas.io/v1alpha1', kind: 'ClassRuntime', metadata, spec },
      children: [],
      pods: [],
      autoscalers: [],
      routers: [],
      served: MANAGED_KINDS.filter((kind) => ['Deployment', 'Service', 'HorizontalPodAutoscaler'].includes(kind)),
      mutated: [],
      recent: { enforcements: 0, orphans: 0 },
      done: [],
    },
  }
}

/** One run: decides and acts until there is nothing more to do, then records. */
export function play(world: World, settings: RuntimesSettings = SETTINGS, fate: Fate = () => undefined): Played {
  let seen: Observed = { ...world.seen, done: [] }
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const decision = decide(seen, settings, world.now)
    if (decision.actions.length === 0) {
      const { done } = seen
      const runtime = { ...seen.runtime, status: decision.status }
      return { world: { ...world, seen: { ...seen, runtime, done: [] } }, decision, done }
    }
    for (const action of decision.actions) {
      const failure = fate(action)
      if (failure === undefined) seen = carriedOut(seen, action)
      seen = { ...seen, done: [...seen.done, { action, ...(failure && { failure }) }] }
      if (failure !== undefined && action.do === 'addFinalizer') break
    }
  }
  throw new Error(`decide still wants something after ${MOST_ROUNDS} rounds`)
}

export const later = (world: World, ms: number): World => ({ ...world, now: world.now + ms })

/** The user writes another spec. */
export function rewritten(world: World, spec: ClassRuntimeSpec): World {
  const { runtime } = world.seen
  const { generation = 0 } = runtime.metadata
  return looking(world, {
    runtime: { ...runtime, metadata: { ...runtime.metadata, generation: generation + 1 }, spec },
  })
}

export function deleted(world: World): World {
  const { runtime } = world.seen
  const deletionTimestamp = new Date(world.now).toISOString()
  return looking(world, { runtime: { ...runtime, metadata: { ...runtime.metadata, deletionTimestamp } } })
}

export const looking = (world: World, seen: Partial<Observed>): World => ({
  ...world,
  seen: { ...world.seen, ...seen },
})

/** Somebody deletes a child behind our back. */
export const without = (world: World, ref: ChildRef): World =>
  looking(world, { children: world.seen.children.filter((child) => !isSameRef(child, ref)) })

export const withChild = (world: World, ref: ChildRef, change: (child: ObservedChild) => ObservedChild): World =>
  looking(world, { children: world.seen.children.map((child) => (isSameRef(child, ref) ? change(child) : child)) })

/** Somebody edits an object. */
export const edited =
  (patch: object) =>
  (child: ObservedChild): ObservedChild => ({ ...child, object: nextGeneration(child.object, patch) })

/** What others make of the workloads: `available` of the wanted replicas run. */
export function rolledOut(world: World, available: (wanted: number) => number = (wanted) => wanted): World {
  const children = world.seen.children.map((child) => {
    const status = child.kind === 'Deployment' ? deploymentStatus(child, available) : knativeStatus(child, available(1))
    return status === undefined ? child : { ...child, object: { ...child.object, status } }
  })
  return looking(world, { children })
}

function deploymentStatus({ object }: ObservedChild, available: (wanted: number) => number): Deployment['status'] {
  const { metadata, spec } = object as Deployment
  const wanted = spec.replicas ?? 1
  const { generation = 0 } = metadata
  return {
    observedGeneration: generation,
    replicas: wanted,
    updatedReplicas: wanted,
    availableReplicas: available(wanted),
  }
}

function knativeStatus({ kind, name, object }: ObservedChild, available: number): KnativeService['status'] {
  if (kind !== 'KnativeService') return undefined
  const ready = { type: 'Ready', status: available > 0 ? 'True' : 'Unknown' }
  return { observedGeneration: object.metadata.generation ?? 0, url: `http://${name}.example`, conditions: [ready] }
}

export const failure = (code: string, retryable: boolean, message = `failed: ${code}`): Failure => ({
  code,
  message,
  whoseMove: 'platform',
  retryable,
  nextStep: '',
})

function carriedOut(seen: Observed, action: Action): Observed {
  const { metadata } = seen.runtime
  switch (action.do) {
    case 'addFinalizer':
      return { ...seen, runtime: { ...seen.runtime, metadata: { ...metadata, finalizers: [FINALIZER] } } }
    case 'removeFinalizer':
      return { ...seen, runtime: { ...seen.runtime, metadata: { ...metadata, finalizers: [] } } }
    case 'delete':
      return { ...seen, children: seen.children.filter(({ uid }) => uid !== action.child.uid) }
    case 'apply':
      return withAutoscalers({ ...seen, children: applied(seen.children, action.child).map(givenBack(action)) })
    case 'handBack':
      return { ...seen, autoscalers: seen.autoscalers.map((one) => letGo(one, action.child)) }
    case 'enforce': {
      const field = action.path === 'hpa' ? 'minReplicas' : 'replicas'
      const patch = { metadata: { annotations: { [`oaas.io/enforced-${action.dimension}`]: `${action.to}` } } }
      const children = seen.children.map((child) =>
        isSameRef(child, action.child) ? edited({ ...patch, spec: { [field]: action.to } })(child) : child,
      )
      return withAutoscalers({ ...seen, children })
    }
    default:
      return action satisfies never
  }
}

function applied(children: readonly ObservedChild[], { kind, name, object }: RenderedChild): ObservedChild[] {
  const live = children.find((child) => isSameRef(child, { kind, name }))
  if (live !== undefined) {
    return children.map((child) => (child === live ? { ...live, object: nextGeneration(live.object, object) } : child))
  }
  const metadata = { ...object.metadata, uid: `uid-of-${kind}-${name}`, generation: 1 }
  return [...children, { kind, name, uid: metadata.uid, deleting: false, object: { ...object, metadata } }]
}

const givenBack =
  ({ child, back = [] }: Extract<Action, { readonly do: 'apply' }>) =>
  (live: ObservedChild): ObservedChild => {
    const { annotations = {} } = live.object.metadata
    const isMark = (name: string) => back.some((dimension) => name === `oaas.io/enforced-${dimension}`)
    const isLeftOut = (name: string) => name === 'oaas.io/handed-over' && child.handed.length === 0
    const isGone = (name: string) => isMark(name) || isLeftOut(name)
    if (!isSameRef(child, live) || !Object.keys(annotations).some(isGone)) return live
    const left = Object.fromEntries(Object.entries(annotations).filter(([name]) => !isGone(name)))
    return { ...live, object: { ...live.object, metadata: { ...live.object.metadata, annotations: left } } }
  }

function letGo(autoscaler: ObservedAutoscaler, { name }: ChildRef): ObservedAutoscaler {
  const { isEnforced: _, ...rest } = autoscaler
  return autoscaler.name === name ? { ...rest, minReplicas: 1 } : autoscaler
}

function withAutoscalers(seen: Observed): Observed {
  const ours = seen.children.flatMap(({ kind, name, object }): ObservedAutoscaler[] => {
    if (kind !== 'HorizontalPodAutoscaler') return []
    const { spec } = object as HorizontalPodAutoscaler
    const { minReplicas = 1, maxReplicas, scaleTargetRef } = spec
    const utilization = utilizationOf(spec)
    return [{ name, target: scaleTargetRef.name, minReplicas, maxReplicas, isOurs: true, utilization }]
  })
  return { ...seen, autoscalers: [...seen.autoscalers.filter(({ isOurs }) => !isOurs), ...ours] }
}

/** Lists are replaced whole, so that what was taken out of one is gone. */
function nextGeneration(object: KubeObject, patch: object): KubeObject {
  const next = merged(object, patch) as KubeObject & { readonly spec?: unknown }
  const { generation = 0 } = object.metadata
  const isSame = sameValue(next.spec, (object as typeof next).spec)
  return { ...next, metadata: { ...next.metadata, generation: isSame ? generation : generation + 1 } }
}

function merged(base: unknown, patch: unknown): unknown {
  if (!isFields(base) || !isFields(patch)) return patch
  const both: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(patch)) both[name] = merged(base[name], value)
  return both
}
