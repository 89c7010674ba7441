import { differs, stateName } from './apply/diff.ts'
import { handedFields, returnedDimensions } from './apply/delegated-fields.ts'
import type { Cause } from './judge/phase.ts'
import { modeFor } from './nfr/enforce.ts'
import { isSameRef } from './judge/child-health.ts'
import type { RuntimesSettings } from './settings.ts'
import { newlyHanded, stamped, stampOf, wronglyHanded } from './apply/stamp.ts'
import { chooseTemplate } from './templates/index.ts'
import type { Rendered, Template } from './templates/template.ts'
import { FORCE_ANNOTATION, type Action, type Observed, type ObservedChild, type RenderedChild } from './types.ts'

/** What the spec asks for, and what has to be done for it. */
export interface Plan {
  readonly template: Template
  readonly rendered: Rendered
  readonly actions: readonly Action[]
  /** Orphans that stay for now, because the control plane has seen too many deletions lately. */
  readonly heldOrphans: number
}

/**
 * Renders the spec and compares it with what is there.
 *
 * A mistake in one function keeps neither the others from running nor its own children alive: nothing is deleted as an orphan
 * while part of the spec cannot be rendered.
 */
export function plan(seen: Observed, settings: RuntimesSettings): Plan | { readonly cause: Cause } {
  const chosen = choose(seen, settings)
  if (chosen.template === undefined) {
    const { field, message } = chosen.problem
    return { cause: { reason: 'TemplateUnknown', message: `${field}: ${message}` } }
  }
  const { template } = chosen
  const { runtime, served, routers } = seen
  const plain = template.render({ runtime, settings: settings.render, served, routers, handed: handedFields(seen) })
  const rendered = { ...plain, children: plain.children.map(stamped) }
  const force = (runtime.metadata.annotations?.[FORCE_ANNOTATION] ?? 'false') !== 'false'
  const applies = rendered.children.flatMap((child) => applyOf(child, seen, force))
  const orphans = rendered.problems.length > 0 ? [] : orphansOf(rendered, seen)
  const room = Math.max(0, settings.orphansPerMinute - seen.recent.orphans)
  const deletes = orphans.slice(0, room).map((child): Action => ({ do: 'delete', child, because: 'orphan' }))
  const actions = [...applies, ...deletes, ...handBacks(seen)]
  return { template, rendered, actions, heldOrphans: Math.max(0, orphans.length - room) }
}

/** One that was chosen by score stays until the spec changes: an API that appears must not replace what runs well. */
function choose(
  { runtime: { metadata, spec, status = {} }, served }: Observed,
  { render: { profile } }: RuntimesSettings,
) {
  const { template, observed_generation } = status
  const isSettled = template !== undefined && observed_generation === metadata.generation
  if ((spec.selected_template ?? '') === '' && isSettled) {
    const kept = { ...spec, selected_template: template }
    const again = chooseTemplate(kept, { profile, served })
    if (again.template !== undefined) return again
  }
  return chooseTemplate(spec, { profile, served })
}

function applyOf(child: RenderedChild, { runtime, children, mutated }: Observed, force: boolean): Action[] {
  const live = children.find((one) => isSameRef(one, child))
  if (live === undefined) return [{ do: 'apply', child, force }]
  const back = [...new Set([...returnedDimensions(runtime.spec, live.object), ...wronglyHanded(child, live.object)])]
  if (live.deleting || (back.length === 0 && isAsWanted(child, live, mutated))) return []
  const hasHandover = newlyHanded(child, live).length > 0
  return [{ do: 'apply', child, force, ...(hasHandover && { from: live }), ...(back.length > 0 && { back }) }]
}

/** An autoscaler of somebody else is not rendered, and may bear a mark all the same. */
const handBacks = ({ runtime: { spec }, autoscalers }: Observed): Action[] =>
  modeFor(spec, 'replicas') === 'enforce'
    ? []
    : autoscalers
        .filter(({ isOurs, isEnforced }) => !isOurs && isEnforced === true)
        .map(({ name }) => ({
          do: 'handBack',
          child: { kind: 'HorizontalPodAutoscaler', name },
          dimensions: ['replicas'],
        }))

function isAsWanted(child: RenderedChild, live: ObservedChild, mutated: readonly string[]): boolean {
  if (stampOf(live.object) !== stampOf(child.object)) return false
  return mutated.includes(stateName(live)) || differs(child.object, live.object).length === 0
}

const orphansOf = ({ children }: Rendered, seen: Observed): ObservedChild[] =>
  seen.children.filter((live) => !live.deleting && !children.some((child) => isSameRef(child, live)))
