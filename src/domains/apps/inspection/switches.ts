import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { deepMerge } from '../values/values.ts'

/** One value that may switch objects off. */
export interface Switch {
  readonly path: readonly string[]
  readonly to: boolean
}

/** How charts call what governs objects of the whole cluster. */
const GOVERNS =
  /rbac|cluster|crd|customresource|psp|podsecurity|webhook|admission|priorityclass|ingressclass|storageclass|apiservice|namespace/i
const NARROWS = /namespaced|singlenamespace|namespaceonly/i
const MOST = 16

/** Booleans of the chart that are worth trying, those with the most telling names first. */
export function switchesIn(values: JsonObject): readonly Switch[] {
  const found: Switch[] = []
  const visit = (value: Json, path: readonly string[]): void => {
    if (isJsonObject(value)) return Object.entries(value).forEach(([key, inner]) => visit(inner, [...path, key]))
    if (typeof value !== 'boolean') return
    const narrows = NARROWS.test(path.at(-1) ?? '')
    if (narrows && !value) found.push({ path, to: true })
    else if (value && GOVERNS.test(path.slice(-2).join('.'))) found.push({ path, to: false })
  }
  visit(values, [])
  return found.toSorted((a, b) => rank(a) - rank(b) || a.path.length - b.path.length).slice(0, MOST)
}

/** What takes the least away first: an app may need its roles, but not those of the cluster. */
const rank = ({ path, to }: Switch): number => (to ? 0 : /cluster|crd/i.test(path.join('.')) ? 1 : 2)

export const switched = (values: JsonObject, { path, to }: Switch): JsonObject =>
  deepMerge(values, path.reduceRight<Json>((inner, key) => ({ [key]: inner }), to) as JsonObject)

export const switchText = ({ path, to }: Switch): string => `${path.join('.')}=${to}`
