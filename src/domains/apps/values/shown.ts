import { formOf } from '../schema/form.ts'
import { ALL_PLACES, subschemas } from '../schema/places.ts'
import { userPartOf } from '../schema/user-part.ts'
import { isReadOnly, pointersWhere, userSchemaOf } from '../schema/walk.ts'
import type { Template } from '../types.ts'
import { changeAt, field, isJsonArray, isJsonObject, pointerOf, readAt, type Json, type JsonObject } from './json.ts'
import { redact, type Redacted } from './redaction.ts'
import { secretPointersUnder, writeOnlyPointers } from './secrets.ts'
import { DEFAULT_LAYOUT, placed, type Layout } from './layout.ts'
import { deepMerge, userDefaults } from './values.ts'

/*
 * What people see of a template and of values. Admins wrote them and see all but what is write-only. Members see what the
 * form shows, and what the platform sets for them: another default may be anything, down to the password of a mail server.
 */

type Reader = { readonly admin: boolean }
type Described = Pick<Template, 'valuesSchema' | 'defaultValues'> & Partial<Pick<Template, 'overrides' | 'layout'>>

export interface ShownTemplate {
  readonly defaultValues: JsonObject
  /** For admins. */
  readonly overrides: JsonObject | null
  readonly valuesSchema: JsonObject | null
}

export function shownTemplate(described: Described, { admin }: Reader): ShownTemplate {
  const { valuesSchema, defaultValues, overrides = null, layout = DEFAULT_LAYOUT } = described
  if (admin) {
    return {
      defaultValues: redact(defaultValues, writeOnlyPointers(valuesSchema, defaultValues)),
      overrides: overrides && redact(overrides, writeOnlyPointers(valuesSchema, overrides)),
      valuesSchema: valuesSchema && withoutSecretDefaults(valuesSchema),
    }
  }
  const { enabled, schema, defaults } = formOf(userPartOf({ valuesSchema, defaultValues, layout }))
  return {
    defaultValues: Object.keys(defaults).length === 0 ? {} : { user: defaults },
    overrides: null,
    valuesSchema: enabled ? { type: 'object', properties: { user: schema } } : null,
  }
}

/** Of the values of a release, what its reader may see; write-only texts in them are still to be masked. */
export function shownValues(
  { valuesSchema, defaultValues, layout }: Pick<Template, 'valuesSchema' | 'defaultValues' | 'layout'>,
  values: JsonObject,
  { admin }: Reader,
): JsonObject {
  if (admin) return values
  const system = systemPart(values, layout)
  const part = userPartOf({ valuesSchema, defaultValues: values, layout })
  const user = field(part.defaultValues, 'user')
  if (!isJsonObject(user)) return system
  // A read-only value comes from the template alone.
  const defaults = userDefaults(userPartOf({ valuesSchema, defaultValues, layout }).defaultValues)
  const withheld = pointersWhere(part.valuesSchema ?? {}, userSchemaOf(part.valuesSchema), defaults, isReadOnly)
  const open = changeAt(user, withheld, () => undefined) as JsonObject
  return layout.userValues === 'root' ? deepMerge(open, system) : { user: open, ...system }
}

/** What the platform sets, where the template wants it. A plan is the admins'. */
function systemPart(values: JsonObject, { domainPaths, ingressClassPaths, caelusValues }: Layout): JsonObject {
  const caelus = field(values, 'caelus')
  const told = caelusValues && isJsonObject(caelus) ? { caelus: changeAt(caelus, ['/plan'], () => undefined) } : {}
  return [...domainPaths, ...ingressClassPaths].reduce<JsonObject>((all, pointer) => {
    const value = readAt(values, pointer)
    return typeof value === 'string' ? placed(all, { pointer, value }, {}) : all
  }, told)
}

/** `default` and `examples` of write-only fields are values, too. */
function withoutSecretDefaults(root: JsonObject): JsonObject {
  const clean = (schema: JsonObject, value: Json): Redacted<Json> =>
    redact(value, secretPointersUnder(root, schema, value))
  const visit = (schema: Json): Json => {
    if (!isJsonObject(schema)) return schema
    const copy = new Map(Object.entries(schema))
    if (schema.default !== undefined) copy.set('default', clean(schema, schema.default))
    if (isJsonArray(schema.examples)) {
      copy.set(
        'examples',
        schema.examples.map((example) => clean(schema, example)),
      )
    }
    for (const keyword of ALL_PLACES) {
      const places = [...subschemas(schema, [keyword])]
      if (places.length === 0) continue
      const inner = new Map(places.map((place) => [pointerOf(place.path.slice(1)), visit(place.schema)]))
      copy.set(
        keyword,
        changeAt(field(schema, keyword) ?? {}, inner.keys(), (_, pointer) => inner.get(pointer)),
      )
    }
    return Object.fromEntries(copy)
  }
  return visit(root) as JsonObject
}
