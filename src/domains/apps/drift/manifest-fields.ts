import { createHmac } from 'node:crypto'
import { pathIn, valueAt, withoutField } from '../../../kube/fields/index.ts'
import { isJsonObject, textOf, type Json, type JsonObject } from '../values/json.ts'

/* Fields of objects in a manifest, by the paths that they have in live objects: a Secret may give its data as plain text. */

export function fieldOf(object: JsonObject, path: string): unknown {
  const plain = plainPath(object, path)
  const found = plain === undefined ? undefined : at(object, plain)
  return typeof found === 'string' ? Buffer.from(found).toString('base64') : at(object, path)
}

export function leaveOut(object: JsonObject, path: string): JsonObject {
  const plain = plainPath(object, path)
  const rest = withoutField(object, path)
  return plain === undefined ? rest : withoutField(rest, plain)
}

/** With plain text where the API server stores it: in a dry run of `stringData` it would see no conflict with `data`. */
export function asStored(object: JsonObject): JsonObject {
  const { stringData, ...rest } = object
  if (object.kind !== 'Secret' || !isJsonObject(stringData)) return object
  return { ...rest, data: { ...(isJsonObject(rest.data) ? rest.data : {}), ...encoded(stringData) } }
}

const encoded = (data: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(textOf(text)).toString('base64')]))

/** Tells values apart without telling them. */
export const valueDigest = (value: unknown, salt: string): string =>
  createHmac('sha256', salt).update(JSON.stringify(value)).digest('base64')

const plainPath = ({ kind, stringData }: JsonObject, path: string): string | undefined =>
  kind === 'Secret' && isJsonObject(stringData) && /^data\b/.test(path) ? path.replace('data', 'stringData') : undefined

function at(object: Json, text: string): unknown {
  const path = pathIn(object, text)
  return path === undefined ? undefined : valueAt(object, path)
}
