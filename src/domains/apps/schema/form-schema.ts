import { changeAt, field, isJsonArray, isJsonObject, pointerOf, type Json, type JsonObject } from '../values/json.ts'
import { constantsOf, isReadOnly, isWriteOnly, pointersWhere, resolve } from './walk.ts'

/** A field that the form leaves out, and why, for the admin who wonders where it went. */
export interface HiddenField {
  readonly pointer: string
  readonly why: string
}

export interface ReducedSchema {
  readonly schema: JsonObject
  readonly hidden: readonly HiddenField[]
}

const SIMPLE = ['string', 'integer', 'number', 'boolean', 'null']
/** Keywords that a form understands and that need no thought. */
const COPIED = [
  'type title description examples deprecated enum const format writeOnly',
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
  'minLength maxLength pattern contentMediaType contentEncoding',
  'minItems maxItems uniqueItems minProperties maxProperties',
].flatMap((keywords) => keywords.split(' '))
const BRANCH_LISTS = ['allOf', 'anyOf', 'oneOf'] as const
const BRANCHES = ['then', 'else'] as const

/** Whatever the template is written in, forms are: it is what form libraries read. */
const FORM_DIALECT = 'http://json-schema.org/draft-07/schema#'
const MAX_DEPTH = 8
/** References can make a short schema describe millions. */
const MAX_FIELDS = 1_000
/** Larger lists belong into a file, not into a form. */
const MAX_ITEMS = 100

/**
 * The part of a user schema that a person may fill in: leaves of a simple type or with an enum, lists and objects of them
 * that are bounded, and the conditions between them. References are resolved, so that it stands alone, in draft 7.
 */
export function reduceSchema(root: JsonObject, userSchema: JsonObject): ReducedSchema {
  const hidden: HiddenField[] = []
  const reducer = new Reducer(root, hidden)
  const schema = reducer.reduce(userSchema, [], false)
  return { schema: { $schema: FORM_DIALECT, ...(schema ?? { type: 'object', properties: {} }) }, hidden }
}

class Reducer {
  readonly #root: JsonObject
  readonly #hidden: HiddenField[]
  #room = MAX_FIELDS

  constructor(root: JsonObject, hidden: HiddenField[]) {
    this.#root = root
    this.#hidden = hidden
  }

  /** `inBranch`: a condition speaks about a field that is described elsewhere, so it need not say its type again. */
  reduce(schema: Json | undefined, path: readonly string[], inBranch: boolean): JsonObject | undefined {
    const own = resolve(this.#root, schema)
    if (own === undefined) return this.#hide(path, 'its schema describes nothing that a form could show')
    if (path.length > MAX_DEPTH) return this.#hide(path, `it is nested deeper than ${MAX_DEPTH} levels`)
    if (this.#room-- <= 0) return this.#hide(path, `the form already has ${MAX_FIELDS} fields`)
    if (isReadOnly(own)) return this.#hide(path, 'it is read-only')
    const shape = shapeOf(this.#root, own)
    const copied = { ...copy(own), ...this.#default(own) }
    switch (shape) {
      case 'leaf':
        return { ...copied, ...this.#branches(own, path) }
      case 'object':
        return this.#object(own, copied, path)
      case 'array':
        return this.#array(own, copied, path)
      case 'open':
        return inBranch ? { ...copied, ...this.#branches(own, path) } : this.#hide(path, 'its type is not given')
      default:
        return shape satisfies never
    }
  }

  #object(own: JsonObject, copied: JsonObject, path: readonly string[]): JsonObject | undefined {
    const properties = Object.entries(isJsonObject(own.properties) ? own.properties : {})
    const kept = properties.flatMap(([name, inner]): [string, Json][] => {
      const reduced = this.reduce(inner, [...path, name], path.length > 0 && shapeOf(this.#root, inner) === 'open')
      return reduced === undefined ? [] : [[name, reduced]]
    })
    const entries = this.#entries(own, path)
    const branches = this.#branches(own, path)
    const isEmpty = kept.length === 0 && entries === false && Object.keys(branches).length === 0
    if (isEmpty && path.length > 0)
      return this.#hide(path, 'nothing in it can be edited, or it takes any number of fields')
    const required = namesIn(own.required).filter(
      (name) => kept.some(([key]) => key === name) || properties.length === 0,
    )
    return {
      ...copied,
      type: 'object',
      properties: Object.fromEntries(kept),
      ...(required.length > 0 && { required }),
      additionalProperties: entries,
      ...branches,
    }
  }

  /** Free-form entries are shown when there is a limit to their number. */
  #entries(own: JsonObject, path: readonly string[]): Json {
    if (!isJsonObject(own.additionalProperties) || typeof own.maxProperties !== 'number') return false
    return this.reduce(own.additionalProperties, [...path, '*'], false) ?? false
  }

  #array(own: JsonObject, copied: JsonObject, path: readonly string[]): JsonObject | undefined {
    const { items, prefixItems, maxItems, uniqueItems } = own
    const tuple = isJsonArray(items) ? items : isJsonArray(prefixItems) ? prefixItems : undefined
    if (tuple !== undefined) {
      const places = tuple.map((place, index) => this.reduce(place, [...path, String(index)], false))
      if (places.some((place) => place === undefined)) return this.#hide(path, 'one of its places cannot be shown')
      return { ...copied, items: places as JsonObject[], additionalItems: false }
    }
    const inner = resolve(this.#root, items)
    const isChoice =
      uniqueItems === true &&
      inner !== undefined &&
      (isJsonArray(inner.enum) || constantsOf(this.#root, inner) !== undefined)
    const isBounded = typeof maxItems === 'number' && maxItems <= MAX_ITEMS
    if (!isBounded && !isChoice)
      return this.#hide(path, `it is a list without a limit (maxItems of at most ${MAX_ITEMS})`)
    const reduced = this.reduce(items, [...path, '*'], false)
    return reduced === undefined ? undefined : { ...copied, items: reduced }
  }

  #branches(own: JsonObject, path: readonly string[]): JsonObject {
    const branch = (schema: Json): Json => this.#branch(schema, path)
    const found: [string, Json][] = []
    for (const keyword of BRANCH_LISTS) {
      const list = own[keyword]
      if (isJsonArray(list)) found.push([keyword, list.map(branch)])
    }
    for (const keyword of BRANCHES) if (own[keyword] !== undefined) found.push([keyword, branch(own[keyword])])
    const dependencies = this.#dependencies(own, path)
    if (Object.keys(dependencies).length > 0) found.push(['dependencies', dependencies])
    if (own.if !== undefined) found.push(['if', this.#inline(own.if, 0)])
    return Object.fromEntries(found)
  }

  /** Newer dialects have two keywords for what draft 7 says with one. */
  #dependencies(
    { dependencies, dependentSchemas, dependentRequired }: JsonObject,
    path: readonly string[],
  ): JsonObject {
    const all = [dependencies, dependentSchemas, dependentRequired].flatMap((map) =>
      isJsonObject(map) ? Object.entries(map) : [],
    )
    const merged = new Map<string, JsonObject>()
    for (const [name, asked] of all) {
      const branch = isJsonArray(asked) ? { required: asked } : this.#branch(asked, path)
      const before = merged.get(name)
      const now = isJsonObject(branch) ? branch : {}
      merged.set(name, before === undefined ? now : { allOf: [before, now] })
    }
    return Object.fromEntries(merged)
  }

  /** A branch adds to its parent: it closes nothing, and what it does not mention stays as it is. */
  #branch(schema: Json, path: readonly string[]): Json {
    const own = resolve(this.#root, schema)
    if (own === undefined) return typeof schema === 'boolean' ? schema : {}
    const properties = Object.entries(isJsonObject(own.properties) ? own.properties : {}).flatMap(
      ([name, inner]): [string, Json][] => {
        if (typeof inner === 'boolean') return [[name, inner]]
        const reduced = this.reduce(inner, [...path, name], true)
        return reduced === undefined ? [] : [[name, reduced]]
      },
    )
    return {
      ...copy(own),
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(namesIn(own.required).length > 0 && { required: namesIn(own.required) }),
      ...this.#branches(own, path),
    }
  }

  /** A test is kept as it is, apart from its references. */
  #inline(schema: Json, depth: number): Json {
    if (isJsonArray(schema)) return schema.map((one) => this.#inline(one, depth + 1))
    if (!isJsonObject(schema) || depth > MAX_DEPTH * 2) return schema
    const own = resolve(this.#root, schema) ?? {}
    return Object.fromEntries(Object.entries(own).map(([key, value]) => [key, this.#inline(value, depth + 1)]))
  }

  /** Write-only parts of a default are left out: an initial password is still a password. */
  #default(own: JsonObject): JsonObject {
    if (own.default === undefined) return {}
    const secrets = pointersWhere(this.#root, own, own.default, isWriteOnly)
    return secrets.includes('') ? {} : { default: changeAt(own.default, secrets, () => undefined) }
  }

  #hide(path: readonly string[], why: string): undefined {
    this.#hidden.push({ pointer: pointerOf(path), why })
    return undefined
  }
}

function shapeOf(root: JsonObject, schema: Json): 'leaf' | 'object' | 'array' | 'open' {
  if (!isJsonObject(schema)) return 'open'
  if (isJsonArray(schema.enum) || field(schema, 'const') !== undefined) return 'leaf'
  if (constantsOf(root, schema)?.every((constant) => !isJsonObject(constant) && !isJsonArray(constant))) return 'leaf'
  const types = namesIn(typeof schema.type === 'string' ? [schema.type] : schema.type)
  if (types.length > 0 && types.every((type) => SIMPLE.includes(type))) return 'leaf'
  if (types.includes('array') || schema.items !== undefined) return 'array'
  if (types.includes('object') || schema.properties !== undefined) return 'object'
  return 'open'
}

function copy(schema: JsonObject): JsonObject {
  const keywords = isWriteOnly(schema) ? COPIED.filter((keyword) => keyword !== 'examples') : COPIED
  return Object.fromEntries(
    keywords.flatMap((key): [string, Json][] => (key in schema ? [[key, schema[key] as Json]] : [])),
  )
}

const namesIn = (value: Json | undefined): string[] =>
  isJsonArray(value) ? value.filter((name) => typeof name === 'string') : []
