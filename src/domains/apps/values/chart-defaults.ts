import { sameValue } from '../../../kernel/index.ts'
import { field, isJsonObject, type Json, type JsonObject } from './json.ts'

/*
 * Helm lays what it is given over the defaults in the chart, and treats `null` differently on the two sides: a default that
 * is null counts as absent, while a given null stays, or takes a default away. Sending defaults back as given values would
 * therefore change what the chart renders.
 */

/** What Helm makes of `given` and the defaults of the chart. */
export const coalesce = (defaults: JsonObject, given: JsonObject): JsonObject => laidOver(defaults, given, true)

function laidOver(defaults: JsonObject, given: JsonObject, isTop: boolean): JsonObject {
  const kept = Object.entries(defaults).flatMap(([key, value]): [string, Json][] => {
    if (value === null || Object.hasOwn(given, key)) return []
    return [[key, isJsonObject(value) ? laidOver(value, {}, false) : value]]
  })
  const laid = Object.entries(given).flatMap(([key, value]): [string, Json][] => {
    const own = field(defaults, key)
    // Below the top, a null over a null stays.
    if (value === null) return own === undefined || (own === null && !isTop) ? [[key, null]] : []
    return [[key, isJsonObject(own) && isJsonObject(value) ? laidOver(own, value, false) : value]]
  })
  return Object.fromEntries([...kept, ...laid])
}

/** What of `written` differs from the defaults of the chart: people edit a copy of values.yaml and hand in the whole. */
export function overridesIn(written: JsonObject, defaults: JsonObject): JsonObject {
  const differing = Object.entries(written).flatMap(([key, value]): [string, Json][] => {
    const own = field(defaults, key)
    if (own === undefined) return [[key, value]]
    if (!isJsonObject(own) || !isJsonObject(value)) return sameValue(own, value) ? [] : [[key, value]]
    const inner = overridesIn(value, own)
    return Object.keys(inner).length === 0 ? [] : [[key, inner]]
  })
  return Object.fromEntries(differing)
}
