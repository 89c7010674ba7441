import { field, isJsonArray, isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { subschemasHere } from './places.ts'
import { REFERENCE_KEYWORDS, targets } from './walk.ts'

/*
 * How much work a validation is, before it is done: a schema that refers to itself is evaluated k^depth times, and a
 * validator that has begun cannot be stopped. Every subschema that may be evaluated for a value counts, whether or not a
 * branch before it decides. The result for a subschema and a value is computed once, so that counting takes no longer
 * than the budget.
 */

export type Cost = { readonly is: 'bounded' } | { readonly is: 'endless' } | { readonly is: 'too much' }

/** The cost of validating `value` with `schema`, a part of `root`. */
export function costOf(root: JsonObject, schema: Json, value: Json, budget: number): Cost {
  return told(() => new Counter(root, { cost: budget, pairs: budget }).count(schema, value))
}

function told(count: () => number): Cost {
  try {
    count()
    return BOUNDED
  } catch (error) {
    if (error === ENDLESS || error === TOO_MUCH) return error as Cost
    if (error instanceof RangeError) return TOO_MUCH
    throw error
  }
}

const BOUNDED: Cost = { is: 'bounded' }
const ENDLESS: Cost = { is: 'endless' }
const TOO_MUCH: Cost = { is: 'too much' }

/** Names in `properties`, `required` and the like are looked up one by one, much faster than a subschema is entered. */
const NAMES_PER_STEP = 8
/** Comparisons of two items that take as long as entering a subschema. */
const PAIRS_PER_STEP = 8
/** Characters of text times characters of pattern that take as long as entering a subschema. */
const MATCHED_PER_STEP = 64

interface Budget {
  readonly cost: number
  /** Of a subschema and a value: how long counting may take. */
  readonly pairs: number
}

class Counter {
  readonly #root: JsonObject
  readonly #budget: Budget
  readonly #known = new Map<JsonObject, Map<Json, number | undefined>>()
  #seen = 0

  constructor(root: JsonObject, budget: Budget) {
    this.#root = root
    this.#budget = budget
  }

  count(schema: Json, value: Json): number {
    if (!isJsonObject(schema)) return 1
    const known = this.#known.get(schema) ?? new Map<Json, number | undefined>()
    this.#known.set(schema, known)
    if (known.has(value)) {
      const cost = known.get(value)
      if (cost === undefined) throw ENDLESS
      return cost
    }
    if (++this.#seen > this.#budget.pairs) throw TOO_MUCH
    known.set(value, undefined)
    let cost = 1 + this.#ofKeywords(schema, value)
    for (const keyword of REFERENCE_KEYWORDS) {
      const ref = field(schema, keyword)
      if (typeof ref !== 'string') continue
      for (const target of targets(this.#root, ref)) cost += this.count(target, value)
    }
    for (const { schema: inner } of subschemasHere(schema)) cost += this.count(inner, value)
    if (isJsonArray(value)) cost += this.#ofItems(schema, value)
    else if (isJsonObject(value)) cost += this.#ofFields(schema, value)
    known.set(value, cost)
    if (cost > this.#budget.cost) throw TOO_MUCH
    return cost
  }

  #ofKeywords({ properties, required, enum: listed, pattern, uniqueItems }: JsonObject, value: Json): number {
    const names = sizeOf(properties) + sizeOf(required) + sizeOf(listed)
    const isText = typeof value === 'string' && typeof pattern === 'string'
    const pairs = uniqueItems === true && isJsonArray(value) ? value.length ** 2 / 2 : 0
    return (
      names / NAMES_PER_STEP +
      pairs / PAIRS_PER_STEP +
      (isText ? (value.length * pattern.length) / MATCHED_PER_STEP : 0)
    )
  }

  #ofItems(schema: JsonObject, items: readonly Json[]): number {
    const { items: listed, prefixItems } = schema
    const tuple = isJsonArray(listed) ? listed : isJsonArray(prefixItems) ? prefixItems : []
    const all = ['additionalItems', 'unevaluatedItems', 'contains'].map((keyword) => field(schema, keyword))
    if (!isJsonArray(listed)) all.push(listed)
    let cost = 0
    for (const [index, item] of items.entries()) {
      const own = tuple[index]
      if (own !== undefined) cost += this.count(own, item)
      for (const one of all) if (one !== undefined) cost += this.count(one, item)
    }
    return cost
  }

  #ofFields(schema: JsonObject, value: JsonObject): number {
    const { properties, patternProperties, propertyNames } = schema
    const patterns = isJsonObject(patternProperties) ? Object.entries(patternProperties) : []
    const others = ['additionalProperties', 'unevaluatedProperties'].map((keyword) => field(schema, keyword))
    let cost = 0
    for (const [key, item] of Object.entries(value)) {
      const named = isJsonObject(properties) ? field(properties, key) : undefined
      if (named !== undefined) cost += this.count(named, item)
      if (propertyNames !== undefined) cost += this.count(propertyNames, key)
      for (const [pattern, inner] of patterns) {
        cost += this.count(inner, item) + (pattern.length * key.length) / MATCHED_PER_STEP
      }
      for (const one of others) if (one !== undefined) cost += this.count(one, item)
    }
    return cost
  }
}

const sizeOf = (value: Json | undefined): number =>
  isJsonArray(value) ? value.length : isJsonObject(value) ? Object.keys(value).length : 0

/**
 * The first of `places` that holds one value to more than `most` subschemas, with references followed, or to itself. No
 * value, however small, could be validated there.
 */
export function tooWide<P extends { readonly schema: Json }>(
  root: JsonObject,
  places: Iterable<P>,
  most: number,
): { readonly place: P; readonly cost: Cost } | undefined {
  const counter = new Counter(root, { cost: most, pairs: Infinity })
  for (const place of places) {
    // A value without fields and items: only what is said about itself counts.
    const cost = told(() => counter.count(place.schema, null))
    if (cost.is !== 'bounded') return { place, cost }
  }
  return undefined
}
