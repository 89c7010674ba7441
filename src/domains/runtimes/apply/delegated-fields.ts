import type { KubeObject } from '../../../kube/index.ts'
import { DIMENSIONS, type ClassRuntimeSpec, type Dimension } from '../class-runtime.ts'
import { functionName } from '../names.ts'
import { modeFor, nfrKey } from '../nfr/enforce.ts'
import { isEnforced } from '../nfr/live.ts'
import type { ChildRef, HandedField, ManagedKind, Observed } from '../types.ts'

/** Which field carries a dimension, and on which kinds. */
const FIELDS: Readonly<Partial<Record<ManagedKind, Readonly<Partial<Record<Dimension, HandedField>>>>>> = {
  Deployment: { replicas: 'replicas', memory: 'memory', cpu: 'cpu' },
  KnativeService: { replicas: 'minScale', memory: 'memory', cpu: 'cpu' },
  HorizontalPodAutoscaler: { replicas: 'minReplicas' },
}

export const fieldFor = (kind: ManagedKind, dimension: Dimension): HandedField | undefined => FIELDS[kind]?.[dimension]

/** What was enforced and is not to be any more: whoever turns enforcement off gets back what the spec says. */
export const returnedDimensions = (spec: ClassRuntimeSpec, live: Pick<KubeObject, 'metadata'>): Dimension[] =>
  DIMENSIONS.filter((dimension) => modeFor(spec, dimension) !== 'enforce' && isEnforced(live, dimension))

/**
 * Which fields of a child are not the controller's to set.
 *
 * The replicas of a Deployment that an autoscaler aims at are the autoscaler's. What the enforcer has put into effect stays its
 * own while the mode is `enforce`; the mark on the child says so too, should the status have got lost on the way.
 */
export function handedFields(
  seen: Pick<Observed, 'runtime' | 'autoscalers' | 'children'>,
): (child: ChildRef) => readonly HandedField[] {
  const targets = new Set(seen.autoscalers.map(({ target }) => target))
  const isTaken = takenByEnforcer(seen)
  return (child) => {
    const fields = new Set<HandedField>()
    if (child.kind === 'Deployment' && targets.has(child.name)) fields.add('replicas')
    for (const dimension of DIMENSIONS) {
      const field = fieldFor(child.kind, dimension)
      if (field !== undefined && isTaken(child, dimension)) fields.add(field)
    }
    return [...fields]
  }
}

function takenByEnforcer({
  runtime: { metadata, spec, status },
  children,
}: Pick<Observed, 'runtime' | 'children'>): (child: ChildRef, dimension: Dimension) => boolean {
  const enforced = DIMENSIONS.filter((dimension) => modeFor(spec, dimension) === 'enforce')
  if (enforced.length === 0) return () => false
  const keys = new Map(
    (spec.functions ?? []).map(({ function_key: key }) => [functionName(metadata.name, key), key] as const),
  )
  return ({ kind, name }, dimension) => {
    const key = keys.get(name)
    if (key === undefined || !enforced.includes(dimension)) return false
    if (status?.nfr_state?.[nfrKey(dimension, key)]?.applied !== undefined) return true
    const live = children.find((child) => child.kind === kind && child.name === name)
    return live !== undefined && isEnforced(live.object, dimension)
  }
}
