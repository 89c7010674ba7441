import { createHash } from 'node:crypto'
import { canonical, field, isJsonObject, type Json, type JsonObject } from './json.ts'
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
export interface SystemValues extends JsonObject {
  readonly ingress: { readonly host: string; readonly className: string }
  readonly caelus: { readonly deploymentId: string; readonly deploymentUid: string; readonly namespace: string }
}

type Identity = Pick<Deployment, 'id' | 'deploymentUid' | 'namespaceName' | 'domainname'>

export const systemValues = (deployment: Identity, ingressClass: string): SystemValues => ({
  ingress: { host: deployment.domainname, className: ingressClass },
  caelus: {
    deploymentId: deployment.id,
    deploymentUid: deployment.deploymentUid,
    namespace: deployment.namespaceName,
  },
})

/** Where system values land. A schema that does not know them is not broken by them. */
export const RESERVED_POINTERS = [
  '/caelus',
  '/caelus/deploymentId',
  '/caelus/deploymentUid',
  '/caelus/namespace',
  '/ingress',
  '/ingress/host',
  '/ingress/className',
] as const

export const userDefaults = (defaults: JsonObject): JsonObject => {
  const user = field(defaults, 'user')
  return isJsonObject(user) ? user : {}
}

/** Defaults, then the tenant's wishes under `user` and nowhere else, then the system's, which nobody overrides. */
export function mergeValues(layers: {
  readonly defaults: JsonObject
  readonly userValues: JsonObject
  readonly system: SystemValues
}): JsonObject {
  const user = deepMerge(userDefaults(layers.defaults), layers.userValues)
  const withUser = Object.keys(user).length === 0 ? layers.defaults : { ...layers.defaults, user }
  return deepMerge(withUser, layers.system)
}

/** What a release is made of: what Helm is given, and what comes of it together with the defaults of the chart. */
export interface ReleaseValues {
  readonly given: JsonObject
  readonly effective: JsonObject
}

export function releaseValues(
  { overrides, defaultValues }: Pick<Template, 'overrides' | 'defaultValues'>,
  layers: { readonly userValues: JsonObject; readonly system: SystemValues },
): ReleaseValues {
  const effective = mergeValues({ ...layers, defaults: defaultValues })
  return { given: overrides === null ? effective : mergeValues({ ...layers, defaults: overrides }), effective }
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
