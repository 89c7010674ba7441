import { createHash } from 'node:crypto'
import { ancestorsOf, canonical, field, isJsonObject, pointerOf, type Json, type JsonObject } from './json.ts'
import { DEFAULT_LAYOUT, placed, type Layout, type Place, type UserValuesAt } from './layout.ts'
import type { Deployment, Template } from '../types.ts'

/**
 * Objects are merged, everything else is replaced: arrays whole, and `null` is a value like any other (Helm reads it as
 * "without the chart's default"). Built from entries, so that a key called `__proto__` stays a key.
 */
export function deepMerge(base: JsonObject, over: JsonObject): JsonObject {
  const merged = Object.entries(over).map(([key, value]): [string, Json] => {
    const old = field(base, key)
    return [key, isJsonObject(old) && isJsonObject(value) ? deepMerge(old, value) : value]
  })
  return Object.fromEntries([...Object.entries(base), ...merged])
}

/** What the platform itself sets, whatever template and tenant say. */
export interface SystemValues {
  /** Laid over everything. */
  readonly values: JsonObject
  /** Written where the template wants them. */
  readonly places: readonly Place[]
}

type Identity = Pick<Deployment, 'id' | 'deploymentUid' | 'namespaceName' | 'domainname'>

export function systemValues(deployment: Identity, ingressClass: string, layout: Layout): SystemValues {
  const caelus = {
    deploymentId: deployment.id,
    deploymentUid: deployment.deploymentUid,
    namespace: deployment.namespaceName,
    ...(layout.plan !== null && { plan: layout.plan }),
  }
  return {
    values: layout.caelusValues ? { caelus } : {},
    places: [
      ...layout.domainPaths.map((pointer) => ({ pointer, value: deployment.domainname })),
      ...layout.ingressClassPaths.map((pointer) => ({ pointer, value: ingressClass })),
    ],
  }
}

const pointersIn = (object: JsonObject, at = ''): string[] =>
  Object.entries(object).flatMap(([key, value]) => {
    const pointer = at + pointerOf([key])
    return [pointer, ...(isJsonObject(value) ? pointersIn(value, pointer) : [])]
  })

/** Where system values land. A schema that does not know them is not broken by them. */
export const reservedPointers = ({ values, places }: SystemValues): ReadonlySet<string> =>
  new Set(
    [...pointersIn(values), ...places.flatMap(({ pointer }) => [...ancestorsOf(pointer), pointer])].filter(Boolean),
  )

/** By templates that do not say where system values go. */
export const USUALLY_RESERVED = reservedPointers(
  systemValues({ id: '', deploymentUid: '', namespaceName: '', domainname: '' }, '', DEFAULT_LAYOUT),
)

export const userDefaults = (defaults: JsonObject): JsonObject => {
  const user = field(defaults, 'user')
  return isJsonObject(user) ? user : {}
}

/** Defaults, then the tenant's wishes in their place and nowhere else, then the system's, which cannot be overridden. */
export function mergeValues(layers: {
  readonly defaults: JsonObject
  readonly userValues: JsonObject
  /** @default user */
  readonly userValuesAt?: UserValuesAt
  readonly system: SystemValues
  /** Has the lists of which the system changes an item. @default those of the defaults */
  readonly lists?: JsonObject
}): JsonObject {
  const { system, lists = layers.defaults } = layers
  const withSystem = deepMerge(withUser(layers), system.values)
  return system.places.reduce((values, place) => placed(values, place, lists), withSystem)
}

function withUser({
  defaults,
  userValues,
  userValuesAt = 'user',
}: {
  readonly defaults: JsonObject
  readonly userValues: JsonObject
  readonly userValuesAt?: UserValuesAt
}): JsonObject {
  if (userValuesAt === 'root') return deepMerge(defaults, userValues)
  const user = deepMerge(userDefaults(defaults), userValues)
  return Object.keys(user).length === 0 ? defaults : { ...defaults, user }
}

/** What a release is made of: what Helm is given, and what comes of it together with the defaults of the chart. */
export interface ReleaseValues {
  readonly given: JsonObject
  readonly effective: JsonObject
}

export function releaseValues(
  { overrides, defaultValues, layout }: Pick<Template, 'overrides' | 'defaultValues' | 'layout'>,
  layers: { readonly userValues: JsonObject; readonly system: SystemValues },
): ReleaseValues {
  const merge = (defaults: JsonObject): JsonObject =>
    mergeValues({ ...layers, defaults, userValuesAt: layout.userValues, lists: defaultValues })
  const effective = merge(defaultValues)
  return { given: overrides === null ? effective : merge(overrides), effective }
}

type ChartIdentity = Pick<Template, 'id' | 'chartRef' | 'chartVersion' | 'chartDigest'>

/**
 * Names everything that an upgrade would change. Kept with the release, so that a pass over an unchanged deployment can
 * tell so without rendering anything. `salt` keeps a short write-only value from being guessed out of the digest.
 */
export function appliedDigest(template: ChartIdentity, values: JsonObject, salt: string): string {
  const { id, chartRef, chartVersion, chartDigest } = template
  return createHash('sha256').update(canonical({ salt, id, chartRef, chartVersion, chartDigest, values })).digest('hex')
}
