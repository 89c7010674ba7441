import { isObject } from '../../../components/forms/json.ts'
import type { ChartLocation, IgnoreRule, LayoutCreate } from '../../../lib/api/contract.ts'

/** What an admin says about the values of a chart, as it stands in the inputs. */
export interface ValuesDraft {
  /** JSON. */
  readonly values: string
  /** With commas between them. Empty: as usual. */
  readonly domainPaths: string
  readonly ingressClassPaths: string
  readonly tellsIngressClass: boolean
  readonly tellsCaelus: boolean
  /** JSON. */
  readonly plan: string
  readonly atRoot: boolean
  /** A list of rules in JSON. */
  readonly driftIgnore: string
}

export const EMPTY_DRAFT: ValuesDraft = {
  values: '',
  domainPaths: '',
  ingressClassPaths: '',
  tellsIngressClass: true,
  tellsCaelus: true,
  plan: '',
  atRoot: false,
  driftIgnore: '',
}

export type ValuesRequest = Pick<ChartLocation, 'default_values' | 'layout' | 'drift_ignore'>

const pathsIn = (text: string): string[] =>
  text
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '')

/** `undefined`: it is not an object. */
export function objectIn(json: string): Record<string, unknown> | undefined {
  if (json.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** `undefined`: it is not a list of rules; what is wrong inside of one the API says. */
export function rulesIn(json: string): IgnoreRule[] | undefined {
  if (json.trim() === '') return []
  try {
    const value: unknown = JSON.parse(json)
    return Array.isArray(value) && value.every(isObject) ? (value as unknown as IgnoreRule[]) : undefined
  } catch {
    return undefined
  }
}

/** What of the draft is said to the API; nothing of what is as usual. */
export function requestOf(draft: ValuesDraft): ValuesRequest {
  const values = objectIn(draft.values) ?? {}
  const plan = objectIn(draft.plan) ?? {}
  const rules = rulesIn(draft.driftIgnore) ?? []
  const [domains, classes] = [pathsIn(draft.domainPaths), pathsIn(draft.ingressClassPaths)]
  const layout: LayoutCreate = {
    ...(domains.length > 0 && { domain_paths: domains }),
    ...(!draft.tellsIngressClass
      ? { ingress_class_paths: [] }
      : classes.length > 0 && { ingress_class_paths: classes }),
    ...(!draft.tellsCaelus && { caelus_values: false }),
    ...(Object.keys(plan).length > 0 && { plan }),
    ...(draft.atRoot && { user_values: 'root' as const }),
  }
  return {
    ...(Object.keys(values).length > 0 && { default_values: values }),
    ...(Object.keys(layout).length > 0 && { layout }),
    ...(rules.length > 0 && { drift_ignore: rules }),
  }
}
