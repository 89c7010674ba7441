import { sameValue } from '../../../kernel/index.ts'
import { sameQuantity } from '../../../kube/index.ts'
import { field, isJsonArray, isJsonObject, textOf, type Json } from '../values/json.ts'

/** Fields that the API server keeps as quantities and writes in its own way: `1024Mi` comes back as `1Gi`. */
const QUANTITY =
  /\.(?:limits|requests|hard|capacity|overhead|max|min|default|defaultRequest)\.[^[\]]+$|\.(?:sizeLimit|divisor|averageValue)$/

/** Where an empty text is an entry like any other. */
const IN_A_MAP = /\.(?:labels|annotations|matchLabels|nodeSelector|data)\./

/** Whether the live value is what we asked for, however the API server wrote it down. */
export function saysTheSame(ours: Json, live: Json | undefined, path: string): boolean {
  if (sameValue(ours, live)) return true
  if (live === undefined || live === null) return isNothing(ours) && !(ours === '' && IN_A_MAP.test(path))
  return QUANTITY.test(path) && sameQuantity(textOf(ours), textOf(live))
}

/** Asking for nothing is met by nothing: the API server drops empty maps and lists, and zero values of optional fields. */
const isNothing = (value: Json): boolean =>
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (isJsonArray(value) ? value.length === 0 : isJsonObject(value) && Object.values(value).every(isNothing))

/** Everything we asked for is there; what the API server added besides is its own business. */
export function holds(ours: Json, live: Json | undefined, path: string): boolean {
  if (isJsonObject(ours) && isJsonObject(live)) {
    return Object.entries(ours).every(([name, value]) => holds(value, field(live, name), `${path}.${name}`))
  }
  if (isJsonArray(ours) && isJsonArray(live)) {
    return ours.length === live.length && ours.every((item, index) => holds(item, live[index], `${path}[]`))
  }
  return saysTheSame(ours, live, path)
}
