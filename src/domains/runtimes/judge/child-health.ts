import { startTrouble } from './crash-loop.ts'
import type { Readiness, Rendered, RenderedFunction, Template } from '../templates/template.ts'
import type { ChildRef, Observed, ObservedChild, ObservedPod, RenderedChild } from '../types.ts'

export interface ChildHealth extends Readiness {
  readonly child: RenderedChild
  readonly live: ObservedChild | undefined
  /** Not there, or on its way out. */
  readonly isMissing: boolean
  /** What keeps its pods from starting, if that is known. */
  readonly trouble?: string
}

export const refText = ({ kind, name }: ChildRef): string => `${kind}/${name}`

export const isSameRef = (a: ChildRef, b: ChildRef): boolean => a.kind === b.kind && a.name === b.name

/** How each wanted child is doing. Only kinds that the template has a rule for can be unready; any can be missing. */
export function healthOf(template: Template, rendered: Rendered, seen: Observed): ChildHealth[] {
  return rendered.children.map((child) => {
    const live = seen.children.find((one) => isSameRef(one, child))
    if (live === undefined) {
      return {
        child,
        live,
        isMissing: true,
        ready: false,
        reason: 'ChildMissing',
        message: `${refText(child)} not found`,
      }
    }
    if (live.deleting) {
      const message = `${refText(child)} is being deleted; it is made anew when it is gone`
      return { child, live, isMissing: true, ready: false, reason: 'ChildMissing', message }
    }
    const pods = podsOf(seen.pods, child)
    const rule = template.readiness[child.kind]
    const verdict = rule?.(live, pods) ?? { ready: true, reason: 'Present', message: '' }
    const trouble = verdict.ready ? undefined : startTrouble(pods)
    return {
      child,
      live,
      isMissing: false,
      ...verdict,
      ...(trouble && { reason: trouble.reason, trouble: trouble.text }),
    }
  })
}

export const podsOf = (
  pods: readonly ObservedPod[],
  { component, functionKey }: Pick<RenderedChild, 'component' | 'functionKey'>,
): ObservedPod[] => pods.filter((pod) => pod.component === component && pod.functionKey === functionKey)

/** What a function depends on: its own children, and ODGM when it runs in there. */
export function healthOfFunction(
  health: readonly ChildHealth[],
  { functionKey, workload }: RenderedFunction,
): ChildHealth[] {
  return health.filter(({ child }) =>
    workload === undefined ? child.component === 'odgm' : child.functionKey === functionKey,
  )
}

/** Everything there is to say about a child that is not ready. */
export const detailOf = ({ child, message, trouble }: ChildHealth): string =>
  [message.startsWith(refText(child)) ? message : `${refText(child)}: ${message}`, trouble].filter(Boolean).join('; ')
