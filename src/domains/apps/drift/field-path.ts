import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { isSameKey, type ItemKey } from './list-keys.ts'

/** A step into an object: a field, a list item known by its keys, an item of a set, or a place in a plain list. */
export type PathPart = string | { readonly key: ItemKey } | { readonly value: Json } | { readonly index: number }

/** As the API server writes it when it names a conflict: `.spec.template.spec.containers[name="web"].image`. */
export const pathText = (path: readonly PathPart[]): string => path.map(partText).join('')

function partText(part: PathPart): string {
  if (typeof part === 'string') return `.${part}`
  if ('index' in part) return `[${part.index}]`
  if ('value' in part) return `[=${JSON.stringify(part.value)}]`
  const keys = Object.entries(part.key).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return `[${keys.join(',')}]`
}

/** The object without the field at `text`; list items are found by their keys, so it holds for another version too. */
export function withoutField(object: JsonObject, text: string): JsonObject {
  const rest = drop(object, '', text)
  return isJsonObject(rest) ? rest : object
}

/** Walks down by comparing texts: names may hold dots and brackets, so the text itself cannot be taken apart safely. */
function drop(value: Json, at: string, text: string): Json {
  if (isJsonObject(value)) {
    const fields = Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
      const here = `${at}.${name}`
      if (here === text) return []
      return [[name, leadsTo(here, text) ? drop(inner, here, text) : inner]]
    })
    return Object.fromEntries(fields)
  }
  if (!isJsonArray(value)) return value
  return value.flatMap((item, index) => {
    const here = [`${at}[${index}]`, keyedText(at, item, text)].find(
      (place) => place !== undefined && (place === text || leadsTo(place, text)),
    )
    if (here === undefined) return [item]
    return here === text ? [] : [drop(item, here, text)]
  })
}

const leadsTo = (here: string, text: string): boolean => text.startsWith(`${here}.`) || text.startsWith(`${here}[`)

function keyedText(at: string, item: Json, text: string): string | undefined {
  const [, bracket] = /^(\[[^\]]*\])/.exec(text.slice(at.length)) ?? []
  if (bracket === undefined || !text.startsWith(at) || !isJsonObject(item)) return undefined
  const pairs = [...bracket.matchAll(/([^[,=]+)=("(?:[^"\\]|\\.)*"|[^,\]]+)/g)]
  const key = Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, JSON.parse(value) as Json]))
  return pairs.length > 0 && isSameKey(item, key) ? at + bracket : undefined
}
