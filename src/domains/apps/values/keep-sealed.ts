import { sameValue } from '../../../kernel/index.ts'
import { changeAt, isJsonArray, isJsonObject, pathOf, pointerOf, readAt, type Json, type JsonObject } from './json.ts'
import type { Secrets } from './seal.ts'
import { splitSecrets, type SplitValues } from './secrets.ts'

/**
 * Splits like `splitSecrets`, and keeps secret what was: a template that forgets to call a field write-only must not bring
 * to light what a tenant wrote under one that did.
 */
export function splitKeeping(schema: JsonObject | null, userValues: JsonObject, before: Secrets): SplitValues {
  const { open, secrets } = splitSecrets(schema, userValues)
  const known = Object.entries(before).map(([pointer, value]) => ({ name: pathOf(pointer).at(-1), value }))
  const pointers: string[] = []
  const visit = (value: Json, path: readonly (string | number)[]): void => {
    const name = String(path.at(-1))
    if (known.some((secret) => secret.name === name && sameValue(secret.value, value))) pointers.push(pointerOf(path))
    else if (isJsonArray(value)) value.forEach((item, index) => visit(item, [...path, index]))
    else if (isJsonObject(value)) for (const [key, inner] of Object.entries(value)) visit(inner, [...path, key])
  }
  visit(open, [])
  if (pointers.length === 0) return { open, secrets }
  const rest = changeAt(open, pointers, () => undefined)
  const kept = pointers.map((pointer): [string, Json] => [pointer, readAt(open, pointer) ?? null])
  return { open: isJsonObject(rest) ? rest : {}, secrets: { ...secrets, ...Object.fromEntries(kept) } }
}
