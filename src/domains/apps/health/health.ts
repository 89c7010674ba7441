import type { KubeObject } from '../../../kube/index.ts'
import { objectName } from '../drift/diff-objects.ts'
import { field, isJsonArray, isJsonObject, type Json, type JsonObject } from '../values/json.ts'

/** How one live object is doing. */
export type ObjectHealth =
  | { readonly is: 'ready' }
  | { readonly is: 'progressing'; readonly because: string }
  /** It says itself that it will not get there. */
  | { readonly is: 'failing'; readonly because: string }

const READY: ObjectHealth = { is: 'ready' }

/**
 * Whether the controllers of the cluster have brought an object to what its spec says. A status about an older generation
 * says nothing about the present one. Kinds that have no readiness are ready once they exist.
 */
export function healthOf(live: KubeObject): ObjectHealth {
  const name = objectName(live as unknown as JsonObject)
  if (live.metadata.deletionTimestamp !== undefined) return { is: 'progressing', because: `${name} is being deleted` }
  const object = live as unknown as JsonObject
  const { generation } = live.metadata
  const observed = numberAt(object, 'status', 'observedGeneration')
  const judge = JUDGES[live.kind]
  if (
    judge !== undefined &&
    GENERATION_AWARE.has(live.kind) &&
    generation !== undefined &&
    (observed ?? 0) < generation
  ) {
    return { is: 'progressing', because: `${name} was not looked at by its controller yet` }
  }
  const judged = judge === undefined ? conditionsHealth(object) : judge(object)
  return judged.is === 'ready' ? judged : { ...judged, because: `${name} ${judged.because}` }
}

const GENERATION_AWARE: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet'])

const JUDGES: Readonly<Record<string, (object: JsonObject) => ObjectHealth>> = {
  Deployment(object) {
    const wanted = numberAt(object, 'spec', 'replicas') ?? 1
    const failed = conditionOf(object, 'Progressing')
    if (failed?.status === 'False') return { is: 'failing', because: failed.message ?? 'makes no progress' }
    const refused = conditionOf(object, 'ReplicaFailure')
    if (refused?.status === 'True') return { is: 'failing', because: refused.message ?? 'cannot create pods' }
    return counted(
      wanted,
      [
        ['updated', numberAt(object, 'status', 'updatedReplicas')],
        ['available', numberAt(object, 'status', 'availableReplicas')],
      ],
      Math.max(0, (numberAt(object, 'status', 'replicas') ?? 0) - wanted),
    )
  },
  StatefulSet(object) {
    const wanted = numberAt(object, 'spec', 'replicas') ?? 1
    const [current, update] = [textAt(object, 'status', 'currentRevision'), textAt(object, 'status', 'updateRevision')]
    const ready: readonly [string, number | undefined] = ['ready', numberAt(object, 'status', 'readyReplicas')]
    const onDelete = textAt(object, 'spec', 'updateStrategy', 'type') === 'OnDelete'
    if (onDelete || current === update) return counted(wanted, [ready])
    const partition = numberAt(object, 'spec', 'updateStrategy', 'rollingUpdate', 'partition') ?? 0
    const updated = counted(Math.max(0, wanted - partition), [
      ['updated', numberAt(object, 'status', 'updatedReplicas')],
    ])
    return updated.is === 'ready' ? counted(wanted, [ready]) : updated
  },
  DaemonSet(object) {
    const wanted = numberAt(object, 'status', 'desiredNumberScheduled') ?? 0
    return counted(wanted, [
      ['updated', numberAt(object, 'status', 'updatedNumberScheduled')],
      ['available', numberAt(object, 'status', 'numberAvailable')],
    ])
  },
  Job(object) {
    const failed = conditionOf(object, 'Failed')
    if (failed?.status === 'True') return { is: 'failing', because: `failed: ${failed.message ?? ''}` }
    return conditionOf(object, 'Complete')?.status === 'True' || field(objectAt(object, 'spec'), 'suspend') === true
      ? READY
      : { is: 'progressing', because: 'has not completed' }
  },
  Pod(object) {
    const phase = textAt(object, 'status', 'phase')
    if (phase === 'Succeeded' || conditionOf(object, 'Ready')?.status === 'True') return READY
    return phase === 'Failed'
      ? {
          is: 'failing',
          because: `failed: ${textAt(object, 'status', 'message') ?? textAt(object, 'status', 'reason') ?? ''}`,
        }
      : { is: 'progressing', because: 'is not ready' }
  },
  PersistentVolumeClaim(object) {
    const phase = textAt(object, 'status', 'phase')
    if (phase === 'Lost') return { is: 'failing', because: 'has lost its volume' }
    // A claim that binds to its first consumer waits without anything being wrong: the pod that needs it says so.
    return READY
  },
  ReplicaSet: (object) =>
    counted(numberAt(object, 'spec', 'replicas') ?? 1, [['ready', numberAt(object, 'status', 'readyReplicas')]]),
}

function counted(
  wanted: number,
  counts: readonly (readonly [what: string, count: number | undefined])[],
  superfluous = 0,
): ObjectHealth {
  for (const [what, count = 0] of counts) {
    if (count < wanted) return { is: 'progressing', because: `has ${count} of ${wanted} replicas ${what}` }
  }
  return superfluous > 0 ? { is: 'progressing', because: `still has ${superfluous} old replicas` } : READY
}

/** Custom resources that follow the conventions say `Ready` or `Available`; who says nothing is ready. */
function conditionsHealth(object: JsonObject): ObjectHealth {
  const condition = conditionOf(object, 'Ready') ?? conditionOf(object, 'Available')
  if (condition === undefined || condition.status === 'True') return READY
  return {
    is: 'progressing',
    because: `is not ready: ${condition.message ?? condition.reason ?? 'it does not say why'}`,
  }
}

interface SeenCondition {
  readonly status: string
  readonly reason: string | undefined
  readonly message: string | undefined
}

function conditionOf(object: JsonObject, type: string): SeenCondition | undefined {
  const conditions = field(objectAt(object, 'status'), 'conditions')
  const found = isJsonArray(conditions)
    ? conditions.find((one) => isJsonObject(one) && one['type'] === type)
    : undefined
  if (!isJsonObject(found)) return undefined
  return {
    status: textAt(found, 'status') ?? 'Unknown',
    reason: textAt(found, 'reason'),
    message: textAt(found, 'message'),
  }
}

const objectAt = (object: JsonObject, name: string): JsonObject => {
  const inner = field(object, name)
  return isJsonObject(inner) ? inner : {}
}

const valueAt = (object: JsonObject, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((inner, name) => (isJsonObject(inner) ? field(inner, name) : undefined), object)

const numberAt = (object: JsonObject, ...path: readonly string[]): number | undefined => {
  const value = valueAt(object, path)
  return typeof value === 'number' ? value : undefined
}

const textAt = (object: JsonObject, ...path: readonly string[]): string | undefined => {
  const value = valueAt(object, path)
  return typeof value === 'string' ? value : undefined
}
