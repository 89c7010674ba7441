import { reduceSchema, type HiddenField } from './form-schema.ts'
import { changeAt, field, isJsonArray, isJsonObject, pointerOf, type Json, type JsonObject } from '../values/json.ts'
import { redact, type Redacted } from '../values/redaction.ts'
import { constantsOf, isReadOnly, isWriteOnly, pointersWhere, resolve, userSchemaOf } from './walk.ts'
import { secretPointers } from '../values/secrets.ts'
import type { Template } from '../types.ts'
import { userDefaults } from '../values/values.ts'

export const WIDGETS = [
  'text',
  'textarea',
  'password',
  'number',
  'checkbox',
  'select',
  'checkboxes',
  'list',
  'group',
] as const
export type Widget = (typeof WIDGETS)[number]

/** How a field wants to be shown; what it may hold is in the schema. */
export interface UiHint {
  /** Into the user part; `*` stands for every item. */
  readonly pointer: string
  readonly widget: Widget
  readonly title: string
  readonly unit?: string
  /** Smaller stands first; without one, the order of the schema. */
  readonly order?: number
  /** Can be written and never read back. */
  readonly writeOnly?: true
}

/** What `/templates/{id}/form` answers: everything needed to draw and check the form, and nothing secret. */
export interface TemplateForm {
  /** `false`: this product takes no settings. */
  readonly enabled: boolean
  readonly schema: JsonObject
  readonly uiHints: readonly UiHint[]
  readonly defaults: Redacted<JsonObject>
  readonly hidden: readonly HiddenField[]
}

export function formOf({
  valuesSchema,
  defaultValues,
}: Pick<Template, 'valuesSchema' | 'defaultValues'>): TemplateForm {
  const userSchema = userSchemaOf(valuesSchema)
  if (valuesSchema === null || userSchema === undefined) {
    return { enabled: false, schema: {}, uiHints: [], defaults: redact({}, []), hidden: [] }
  }
  const { schema, hidden } = reduceSchema(valuesSchema, userSchema)
  const defaults = userDefaults(defaultValues)
  const withheld = [
    ...secretPointers(valuesSchema, defaults),
    ...pointersWhere(valuesSchema, userSchema, defaults, isReadOnly),
  ]
  const shown = changeAt(defaults, withheld, () => undefined)
  return {
    enabled: true,
    schema,
    uiHints: hintsOf(valuesSchema, userSchema, schema),
    defaults: redact(isJsonObject(shown) ? shown : {}, []),
    hidden,
  }
}

/** Hints for every place of the reduced schema, branches included, each place once. */
function hintsOf(root: JsonObject, original: JsonObject, reduced: JsonObject): UiHint[] {
  const hints = new Map<string, UiHint>()
  const visit = (from: Json | undefined, schema: Json | undefined, path: readonly string[]): void => {
    if (!isJsonObject(schema)) return
    const source = resolve(root, from) ?? {}
    const pointer = pointerOf(path)
    if (path.length > 0 && !hints.has(pointer) && isDescribed(schema)) hints.set(pointer, hintOf(source, schema, path))
    for (const [name, inner] of entriesOf(schema.properties)) visit(at(source.properties, name), inner, [...path, name])
    if (isJsonObject(schema.additionalProperties)) {
      visit(source.additionalProperties, schema.additionalProperties, [...path, '*'])
    }
    if (isJsonArray(schema.items)) {
      const places = isJsonArray(source.items) ? source.items : source.prefixItems
      schema.items.forEach((place, index) => visit(at(places, String(index)), place, [...path, String(index)]))
    } else visit(source.items, schema.items, [...path, '*'])
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      for (const [name, inner] of entriesOf(schema[keyword])) visit(at(source[keyword], name), inner, path)
    }
    for (const [name, inner] of entriesOf(schema.dependencies)) {
      visit(at(source.dependentSchemas, name) ?? at(source.dependencies, name), inner, path)
    }
    for (const keyword of ['then', 'else']) visit(source[keyword], schema[keyword], path)
  }
  visit(original, reduced, [])
  return [...hints.values()]
}

/** A branch that only tightens a field described elsewhere has nothing to say about its looks. */
const isDescribed = (schema: JsonObject): boolean => schema.type !== undefined || isChoice(schema)

/** The reduced schema stands alone: nothing in it refers to anything else. */
const isChoice = (schema: JsonObject): boolean =>
  schema.enum !== undefined || schema.const !== undefined || constantsOf(schema, schema) !== undefined

const entriesOf = (value: Json | undefined): [string, Json][] =>
  isJsonObject(value) || isJsonArray(value) ? Object.entries(value) : []

const at = (value: Json | undefined, key: string): Json | undefined =>
  isJsonArray(value) ? value[Number(key)] : isJsonObject(value) ? field(value, key) : undefined

function hintOf(source: JsonObject, schema: JsonObject, path: readonly string[]): UiHint {
  const unit = source['x-caelus-unit'] ?? source['x-unit']
  const order = source['x-caelus-order'] ?? source['x-order']
  return {
    pointer: pointerOf(path),
    widget: widgetOf(schema),
    title: typeof schema.title === 'string' ? schema.title : spoken(path.findLast((part) => part !== '*') ?? ''),
    ...(typeof unit === 'string' && { unit }),
    ...(typeof order === 'number' && { order }),
    ...(isWriteOnly(schema) && { writeOnly: true }),
  }
}

/** Texts longer than this want more than one line. */
const LONG_TEXT = 200

function widgetOf(schema: JsonObject): Widget {
  const { type, items } = schema
  const is = (name: string): boolean => type === name || (isJsonArray(type) && type.includes(name))
  if (isWriteOnly(schema) && (is('string') || type === undefined)) return 'password'
  if (isChoice(schema)) return 'select'
  if (is('boolean')) return 'checkbox'
  if (is('integer') || is('number')) return 'number'
  if (is('array')) return schema.uniqueItems === true && isJsonObject(items) && isChoice(items) ? 'checkboxes' : 'list'
  if (is('object')) return 'group'
  const isLong = typeof schema.maxLength === 'number' && schema.maxLength > LONG_TEXT
  return isLong || schema.contentMediaType !== undefined ? 'textarea' : 'text'
}

/** `maxUploadSize` → `Max upload size`. */
function spoken(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
