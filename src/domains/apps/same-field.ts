import { sameValue } from '../../kernel/index.ts'
import { field, isJsonArray, isJsonObject, textOf, type Json } from './json.ts'

const SUFFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

const quantityOf = (value: Json): number | undefined => {
  const [, number, suffix = ''] =
    /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([numkMGTPE]|[KMGTPE]i)?$/.exec(textOf(value)) ?? []
  const factor = SUFFIXES[suffix]
  return number === undefined || factor === undefined ? undefined : Number(number) * factor
}

/** Fields that the API server keeps as quantities and writes in its own way: `1024Mi` comes back as `1Gi`. */
const QUANTITY =
  /\.(?:limits|requests|hard|capacity|overhead|max|min|default|defaultRequest)\.[^[\]]+$|\.(?:sizeLimit|divisor|averageValue)$/

/** Where an empty text is an entry like any other. */
const IN_A_MAP = /\.(?:labels|annotations|matchLabels|nodeSelector|data)\./

/** Whether the live value is what we asked for, however the API server wrote it down. */
export function saysTheSame(ours: Json, live: Json | undefined, path: string): boolean {
  if (sameValue(ours, live)) return true
  if (live === undefined || live === null) return isNothing(ours) && !(ours === '' && IN_A_MAP.test(path))
  if (!QUANTITY.test(path)) return false
  const [a, b] = [quantityOf(ours), quantityOf(live)]
  return a !== undefined && b !== undefined && Math.abs(a - b) <= Math.abs(a) * 1e-9
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
