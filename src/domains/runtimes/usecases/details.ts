import { Pod, type Reader } from '../../../kube/index.ts'
import type { ClassRuntime } from '../class-runtime.ts'
import { functionLabel, ownerLabel } from '../names.ts'
import { plan } from '../plan.ts'
import { healthOf, isSameRef } from '../judge/child-health.ts'
import type { RuntimesSettings } from '../settings.ts'
import {
  COMPONENT_LABEL,
  FUNCTION_LABEL,
  OWNER_LABEL,
  type Component,
  type Observed,
  type ObservedChild,
} from '../types.ts'
import type { SeenChild } from './port.ts'

/** What a runtime should consist of and how each part is, and what is left over from before. */
export function childrenOf(seen: Observed, settings: RuntimesSettings): SeenChild[] {
  const { runtime } = seen
  const planned = plan(seen, settings)
  const isGoing = runtime.metadata.deletionTimestamp !== undefined
  if ('cause' in planned || isGoing) return seen.children.map((child) => leftOver(runtime, child))
  const health = healthOf(planned.template, planned.rendered, seen)
  const wanted = health.map(({ child, live, ready, reason, message, trouble }) => ({
    kind: child.kind,
    name: child.name,
    component: child.component,
    functionKey: child.functionKey,
    seen: live,
    readiness: { ready, reason, message: [message, trouble].filter(Boolean).join('; ') },
  }))
  const others = seen.children.filter((child) => !wanted.some((one) => isSameRef(one, child)))
  return [...wanted, ...others.map((child) => leftOver(runtime, child))]
}

function leftOver(runtime: ClassRuntime, child: ObservedChild): SeenChild {
  const { labels = {} } = child.object.metadata
  const named = (runtime.spec.functions ?? []).find(
    ({ function_key: key }) => functionLabel(key) === labels[FUNCTION_LABEL],
  )
  return {
    kind: child.kind,
    name: child.name,
    component: (labels[COMPONENT_LABEL] ?? 'function') as Component,
    functionKey: named?.function_key,
    seen: child,
    readiness: undefined,
  }
}

export const podsOf = (client: Reader, { metadata }: ClassRuntime, signal: AbortSignal): Promise<Pod[]> => {
  const labels = `${OWNER_LABEL}=${ownerLabel(metadata.name)}`
  return client.list(
    Pod,
    { ...(metadata.namespace !== undefined && { namespace: metadata.namespace }), labels },
    signal,
  )
}
