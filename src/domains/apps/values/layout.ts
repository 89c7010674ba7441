import { field, isJsonArray, isJsonObject, pathOf, pointerOf, readAt, type Json, type JsonObject } from './json.ts'

/*
 * Where in the values of a chart the platform and the tenant write. Charts differ: one takes its host at `ingress.host`,
 * another at `serverName`; one has what tenants may set under `user`, another at the root.
 */

/** Whether what a tenant sets lies under `user`, or is laid over the values as they are. */
export const USER_VALUES_AT = ['user', 'root'] as const
export type UserValuesAt = (typeof USER_VALUES_AT)[number]

/** Paths are JSON pointers. */
export interface Layout {
  /** Where the domain goes. */
  readonly domainPaths: readonly string[]
  /** Where the name of the ingress class goes. */
  readonly ingressClassPaths: readonly string[]
  /** Whether the chart receives `caelus.*`. */
  readonly caelusValues: boolean
  /** `caelus.plan`. `null`: the chart receives none, because the template is older than plans. */
  readonly plan: JsonObject | null
  readonly userValues: UserValuesAt
}

/** Of a template that says nothing else. */
export const DEFAULT_LAYOUT: Layout = {
  domainPaths: ['/ingress/host'],
  ingressClassPaths: ['/ingress/className'],
  caelusValues: true,
  plan: {},
  userValues: 'user',
}

/** Of templates that were published before they had one; their releases must not change. */
export const FIRST_LAYOUT: Layout = { ...DEFAULT_LAYOUT, plan: null }

/** `nextcloud.host`, `ingress.hosts[0].host` as Helm's `--set` has it, or a JSON pointer. */
export function pointerIn(written: string): string | undefined {
  if (written.startsWith('/')) return isUsable(pathOf(written)) ? pointerOf(pathOf(written)) : undefined
  const dotted = written.replaceAll(/\[(\d+)\]/g, '.$1').split(/(?<!\\)\./)
  const path = dotted.map((part) => part.replaceAll(String.raw`\.`, '.'))
  return isUsable(path) ? pointerOf(path) : undefined
}

const isUsable = (path: readonly string[]): boolean =>
  path.length > 0 && path.length <= MAX_DEPTH && path.every((part) => part !== '' && part !== '__proto__')

const MAX_DEPTH = 20

export interface Place {
  readonly pointer: string
  readonly value: string
}

/**
 * A copy of `values` with something at `pointer`. Helm replaces lists as a whole, so one that `values` do not have is taken
 * from `defaults` before an item of it is changed.
 */
export const placed = (values: JsonObject, { pointer, value }: Place, defaults: JsonObject): JsonObject =>
  put(values, pathOf(pointer), value, defaults) as JsonObject

function put(into: Json | undefined, path: readonly string[], value: string, defaults: Json | undefined): Json {
  const [key, ...rest] = path
  if (key === undefined) return value
  const list = isJsonArray(into) ? into : into === undefined && isJsonArray(defaults) ? defaults : undefined
  if (list !== undefined) {
    const inner = readAt(defaults, pointerOf([key]))
    return list.map((item, index) => (String(index) === key ? put(item, rest, value, inner) : item))
  }
  const own = isJsonObject(into) ? into : {}
  const inner = isJsonObject(defaults) ? field(defaults, key) : undefined
  if (key === '0' && !isJsonObject(into) && !isJsonObject(defaults)) return [put(undefined, rest, value, undefined)]
  return { ...own, [key]: put(field(own, key), rest, value, inner) }
}

/** Why nothing can be written at `pointer` of values with these defaults. */
export function unplaceable(pointer: string, defaults: JsonObject): string | undefined {
  const path = pathOf(pointer)
  for (const [depth, key] of path.entries()) {
    const parent = readAt(defaults, pointerOf(path.slice(0, depth)))
    if (parent === undefined || parent === null) return undefined
    const name = path.slice(0, depth).join('.')
    if (isJsonArray(parent)) {
      if (!/^\d+$/.test(key) || Number(key) >= parent.length) return `${name} is a list of ${parent.length} items`
    } else if (!isJsonObject(parent)) return `${name} is neither an object nor a list in the values of the chart`
  }
  const now = readAt(defaults, pointer)
  return isJsonObject(now) || isJsonArray(now)
    ? `${path.join('.')} is ${isJsonArray(now) ? 'a list' : 'an object'} in the values of the chart`
    : undefined
}
