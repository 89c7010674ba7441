import type { KubeObject } from '../../../kube/index.ts'
import { groupOf, isAbout, isSetIn, subjectOf, type IgnoreRule } from '../drift/ignore-rules.ts'
import { textOf, type JsonObject } from '../values/json.ts'
import type { Finding } from './inspection.ts'

type Known = readonly { readonly group: string; readonly kind: string }[]

/** Which rules have nothing to do with the objects of a sample order. `known`: absent when nobody could be asked. */
export function ruleFindings(
  rules: readonly IgnoreRule[],
  objects: readonly KubeObject[],
  known: Known | undefined,
): Finding[] {
  const made = objects.map((object) => object as unknown as JsonObject)
  return rules.flatMap((rule, index) => {
    const at = `drift_ignore/${index}`
    const found = made.filter((object) => isAbout(rule, object))
    if (found.length === 0) return [aboutNothing(rule, at, made, known)]
    return rule.paths.flatMap((pointer, place) =>
      found.some((object) => isSetIn(object, pointer))
        ? []
        : [unset(`${at}/paths/${place}`, `${pointer} is set in no ${subjectOf(rule)} of a sample order: ${COMPARED}`)],
    )
  })
}

const COMPARED =
  'only what the chart sets is compared. A list whose items have no key is one value: point to the list itself'

function aboutNothing(rule: IgnoreRule, at: string, made: readonly JsonObject[], known: Known | undefined): Finding {
  const { kind, group } = rule
  if (known?.some((one) => one.kind === kind && (group === undefined || one.group === group)) ?? true)
    return unset(at, `a sample order has no ${subjectOf(rule)}: the rule matters only where settings make one`)
  const groups = unique(made.filter((object) => object.kind === kind).map((object) => groupOf(object) || '""'))
  const [field, hint] =
    groups.length > 0
      ? [`${at}/group`, `its ${kind} is of group ${groups.join(' or ')}`]
      : [`${at}/kind`, `it has ${unique(made.map((object) => textOf(object.kind))).join(', ')}`]
  const message = `neither the chart nor the control plane has ${subjectOf({ kind, ...(group !== undefined && { group }) })}: ${hint}`
  return { code: 'IgnoredKindUnknown', severity: 'problem', message, object: null, field, switchedOffBy: [] }
}

const unset = (field: string, message: string): Finding => ({
  code: 'IgnoredPathUnset',
  severity: 'warning',
  message,
  object: null,
  field,
  switchedOffBy: [],
})

const unique = (texts: readonly string[]): string[] => [...new Set(texts)].toSorted()
