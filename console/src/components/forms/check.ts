import { Validator } from '@cfworker/json-schema'
import type { OutputUnit } from '@cfworker/json-schema'
import { at, isList, isObject, pointerOf } from './json.ts'
import type { Json, Path } from './json.ts'
import { checkable, effective, isWriteOnly, listOf, propertiesOf, requiredOf, shapeOf, textOf } from './schema.ts'
import type { Schema } from './schema.ts'
import { isHeld } from './state.ts'
import type { FormState } from './state.ts'

/** What is wrong at which place, in words for the person who fills it in. */
export type Issues = ReadonlyMap<string, string>

/** Checks what is on the screen: every place against the description that applies to it now. The server has the last word. */
export function checkForm(schema: Schema, state: FormState): Issues {
  const issues = new Map<string, string>()
  const visit = (described: Schema, path: Path, isRequired: boolean): void => {
    const value = at(state.values, path)
    const pointer = pointerOf(path)
    const { schema: flat } = effective(described, value, state.choices[pointer])
    if (value === undefined || (value === null && isWriteOnly(flat))) {
      const isKept = value === undefined && isHeld(state, path)
      // A group that has to be there is there as soon as one of its fields is: those say what is missing.
      const isGroup = shapeOf(flat) === 'object'
      if (isRequired && !isKept && !isGroup) issues.set(pointer, 'is required')
      if (!isRequired || !isGroup) return
    } else {
      const problem = problemOf(flat, value)
      if (problem !== undefined) issues.set(pointer, problem)
    }
    const required = requiredOf(flat)
    for (const [name, inner] of propertiesOf(flat)) visit(inner, [...path, name], required.includes(name))
    if (isList(value)) {
      value.forEach((_, index) => {
        const item = isList(flat.items) ? flat.items[index] : flat.items
        if (isObject(item)) visit(item, [...path, index], true)
      })
    }
    if (isObject(value) && isObject(flat.additionalProperties)) {
      const named = new Set(propertiesOf(flat).map(([name]) => name))
      for (const key of Object.keys(value)) {
        if (!named.has(key)) visit(flat.additionalProperties, [...path, key], true)
      }
    }
  }
  visit(schema, [], true)
  return issues
}

/** Checked for each place inside on its own. */
const INNER = new Set(['properties', 'required', 'items', 'additionalProperties', 'additionalItems'])

/** What is wrong with a value itself, apart from the places inside it. */
export function problemOf(flat: Schema, value: Json): string | undefined {
  const own = Object.fromEntries(Object.entries(flat).filter(([keyword]) => !INNER.has(keyword)))
  const { errors } = new Validator(checkable(own) as object, '7', false).validate(value)
  const [first] = errors.toSorted((a, b) => rank(a) - rank(b))
  return first && sentence(first.keyword, flat)
}

/** The wrong type explains all the others. */
const rank = ({ keyword }: OutputUnit): number => (keyword === 'type' ? 0 : keyword === 'enum' ? 1 : 2)

const FORMATS: Readonly<Record<string, string>> = {
  email: 'must be an email address',
  uri: 'must be an address such as https://example.com',
  hostname: 'must be a host name',
  ipv4: 'must be an IPv4 address',
  ipv6: 'must be an IPv6 address',
  date: 'must be a date such as 2026-11-15',
  time: 'must be a time such as 10:30:00Z',
  'date-time': 'must be a moment such as 2026-11-15T10:30:00Z',
  uuid: 'must be a UUID',
}

function sentence(keyword: string, flat: Schema): string {
  const limit = flat[keyword]
  const number = Number(limit)
  switch (keyword) {
    case 'type':
      return `must be ${article(
        listOf(isList(limit) ? limit : [limit ?? ''])
          .map(textOf)
          .join(' or '),
      )}`
    case 'enum':
      return `must be one of ${listOf(limit).map(textOf).join(', ')}`
    case 'const':
      return `must be ${JSON.stringify(limit)}`
    case 'minimum':
      return `must be at least ${number}`
    case 'maximum':
      return `must be at most ${number}`
    case 'exclusiveMinimum':
      return `must be more than ${number}`
    case 'exclusiveMaximum':
      return `must be less than ${number}`
    case 'multipleOf':
      return `must be a multiple of ${number}`
    case 'minLength':
      return number === 1 ? 'must not be empty' : `must have at least ${number} characters`
    case 'maxLength':
      return `must have at most ${number} characters`
    case 'pattern':
      return `must match ${textOf(limit ?? '')}`
    case 'format':
      return FORMATS[textOf(limit ?? '')] ?? `must be written as ${textOf(limit ?? '')}`
    case 'minItems':
      return `must have at least ${number} ${number === 1 ? 'item' : 'items'}`
    case 'maxItems':
      return `must have at most ${number} ${number === 1 ? 'item' : 'items'}`
    case 'uniqueItems':
      return 'must not have the same item twice'
    case 'minProperties':
      return `must have at least ${number} ${number === 1 ? 'entry' : 'entries'}`
    case 'maxProperties':
      return `must have at most ${number} ${number === 1 ? 'entry' : 'entries'}`
    default:
      return 'does not fit its description'
  }
}

const article = (type: string): string =>
  type === 'integer' ? 'a whole number' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
