import { type Condition, sameValue, setCondition } from '../../src/kernel/index.ts'
import type { ConfigMap, Draft } from '../../src/kube/index.ts'
import type { Echo } from './echo.ts'
import type { Observed } from './observe.ts'

/** The label of children; its value is the name of their Echo. */
export const LABEL = 'bench.example/echo'

export interface Decision {
  /** Absent: the child is as desired. */
  readonly child?: { readonly apply: Draft<ConfigMap>; readonly takeOver: boolean }
  /** Absent: the status is up to date. Written after the child, for exactly the observed version of the Echo. */
  readonly status?: NonNullable<Echo['status']>
}

/** The message of an Echo becomes a ConfigMap with that message, then the status says Ready. */
export function decide({ echo, child }: Observed, now: number): Decision {
  if (echo === undefined || echo.metadata.deletionTimestamp !== undefined) return {}
  const wanted = childOf(echo)
  const status = statusOf(echo, now)
  return {
    ...(!saysTheSame(child, wanted) && { child: { apply: wanted, takeOver: child !== undefined } }),
    ...(status !== echo.status && { status }),
  }
}

function childOf({ apiVersion, kind, metadata: { name, namespace = '', uid = '' }, spec }: Echo): Draft<ConfigMap> {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace,
      labels: { [LABEL]: name },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }],
    },
    data: { message: spec.message },
  }
}

const saysTheSame = (child: ConfigMap | undefined, wanted: Draft<ConfigMap>): boolean =>
  child !== undefined &&
  child.metadata.deletionTimestamp === undefined &&
  child.data?.['message'] === wanted.data?.['message'] &&
  child.metadata.labels?.[LABEL] === wanted.metadata.name &&
  sameValue(child.metadata.ownerReferences, wanted.metadata.ownerReferences)

/** Returns the same object if nothing changes. */
function statusOf({ metadata: { generation = 0 }, status = {} }: Echo, now: number): NonNullable<Echo['status']> {
  const before: readonly Condition[] = status.conditions ?? []
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Applied',
    message: 'the ConfigMap says the same',
    observedGeneration: generation,
  } as const
  const conditions = setCondition(before, ready, now)
  return conditions === before && status.observedGeneration === generation
    ? status
    : { observedGeneration: generation, conditions }
}
