import { mergeKeysOf, valueAt, type FieldPath, type PathPart } from '../../../kube/fields/index.ts'
import type { FieldProblem } from '../types.ts'
import { field, isJsonArray, isJsonObject, pathOf, textOf, type Json, type JsonObject } from '../values/json.ts'

/** Fields of objects of a template that may differ from what its chart says. */
export interface IgnoreRule {
  /** `apps`; empty: the core group. Absent: any. */
  readonly group?: string
  readonly kind: string
  /** `*` stands for any text, because most names contain that of the release. Absent: every object of the kind. */
  readonly name?: string
  /** JSON pointers. `*` is any one segment; an item of a list is `*`, its index in the manifest, or `name=web`. */
  readonly paths: readonly string[]
}

/** The rule that covers a field of `object`, as people are told: `/spec/replicas of Deployment`. */
export function ruleFor(object: JsonObject, path: FieldPath, rules: readonly IgnoreRule[]): string | undefined {
  for (const rule of rules) {
    if (!isAbout(rule, object)) continue
    const pointer = rule.paths.find((one) => isAtOrBelow(object, path, one))
    if (pointer !== undefined) return `${pointer} of ${subjectOf(rule)}`
  }
  return undefined
}

export function isAbout({ group, kind, name }: Omit<IgnoreRule, 'paths'>, object: JsonObject): boolean {
  if (object.kind !== kind || (group !== undefined && group !== groupOf(object))) return false
  const metadata = field(object, 'metadata')
  return name === undefined || isLike(textOf(isJsonObject(metadata) ? (metadata.name ?? '') : ''), name)
}

export function groupOf({ apiVersion = '' }: JsonObject): string {
  const text = textOf(apiVersion)
  return text.includes('/') ? text.slice(0, text.indexOf('/')) : ''
}

export const subjectOf = ({ group, kind, name }: Omit<IgnoreRule, 'paths'>): string =>
  `${kind}${group === undefined || group === '' ? '' : `.${group}`}${name === undefined ? '' : `/${name}`}`

/** `*` in the pattern is any text. Linear: each piece is looked for behind the one before. */
function isLike(text: string, pattern: string): boolean {
  const [first = '', ...pieces] = pattern.split('*')
  const last = pieces.pop()
  if (last === undefined) return text === pattern
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false
  let at = first.length
  for (const piece of pieces) {
    const found = text.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return at <= text.length - last.length
}

function isAtOrBelow(object: JsonObject, path: FieldPath, pointer: string): boolean {
  const segments = pathOf(pointer)
  return (
    segments.length <= path.length &&
    segments.every((segment, depth) => {
      const part = path[depth]
      return part !== undefined && isNamed(segment, part, valueAt(object, path.slice(0, depth)))
    })
  )
}

function isNamed(segment: string, part: PathPart, list: unknown): boolean {
  if (segment === '*') return true
  if (typeof part === 'string') return segment === part
  if (isIndex(segment)) {
    const item = Array.isArray(list) ? (list as unknown[])[Number(segment)] : undefined
    return item !== undefined && item === valueAt(list, [part])
  }
  if ('key' in part) return sameKeys(keysIn(segment), part.key)
  return 'value' in part && segment === `=${textOf(part.value as Json)}`
}

const isIndex = (segment: string): boolean => /^(?:0|[1-9]\d*)$/.test(segment)

/** `containerPort=80,protocol=TCP`. */
const keysIn = (segment: string): readonly (readonly [string, string])[] =>
  segment.split(',').map((pair) => {
    const at = pair.indexOf('=')
    return at === -1 ? ['', pair] : [pair.slice(0, at), pair.slice(at + 1)]
  })

const sameKeys = (wanted: readonly (readonly [string, string])[], key: Readonly<Record<string, unknown>>): boolean =>
  wanted.every(([name, value]) => Object.hasOwn(key, name) && textOf(key[name] as Json) === value)

/** Whether the chart sets anything there. What it does not set is not compared. */
export function isSetIn(object: JsonObject, pointer: string): boolean {
  const plain =
    object.kind === 'Secret' && pointer.startsWith('/data/') ? pointer.replace('data', 'stringData') : pointer
  return isSet(object, pathOf(pointer)) || (plain !== pointer && isSet(object, pathOf(plain)))
}

function isSet(value: Json | undefined, [segment, ...rest]: readonly string[]): boolean {
  if (segment === undefined) return value !== undefined
  if (isJsonArray(value)) {
    const keys = mergeKeysOf(value)
    // A list without keys is one value, and so are its items.
    if (keys === undefined) return false
    return value.some((item, index) => {
      const key = Object.fromEntries(keys.map((name) => [name, isJsonObject(item) ? item[name] : undefined]))
      const isIt = segment === '*' || segment === String(index) || sameKeys(keysIn(segment), key)
      return isIt && isSet(item, rest)
    })
  }
  if (!isJsonObject(value)) return false
  const inner = segment === '*' ? Object.values(value) : [field(value, segment)]
  return inner.some((one) => one !== undefined && isSet(one, rest))
}

/** Everything that is wrong with rules, whatever the chart. */
export const ruleProblems = (rules: readonly IgnoreRule[]): FieldProblem[] =>
  rules.flatMap(({ kind, group = '', name = '*', paths }, index) => {
    const at = `drift_ignore/${index}`
    return [
      ...(KIND.test(kind) ? [] : [{ field: `${at}/kind`, message: 'must be a kind such as Deployment' }]),
      ...(GROUP.test(group)
        ? []
        : [{ field: `${at}/group`, message: 'must be an API group such as apps, without a version' }]),
      ...(NAME.test(name)
        ? []
        : [{ field: `${at}/name`, message: 'must be a name such as *-web; * stands for any text' }]),
      ...(paths.length === 0
        ? [{ field: `${at}/paths`, message: 'is empty: name the fields, such as /spec/replicas' }]
        : []),
      ...paths.flatMap((pointer, place) => {
        const message = pointerProblem(pointer)
        return message === undefined ? [] : [{ field: `${at}/paths/${place}`, message }]
      }),
    ]
  })

const KIND = /^[A-Z][A-Za-z0-9]{0,62}$/
const GROUP = /^[a-z0-9.-]{0,253}$/
const NAME = /^[a-zA-Z0-9.*:_-]{1,253}$/
const DEEPEST = 30

/** By these Helm and the platform know what is theirs. */
const OWN_KEYS = /^(?:app\.kubernetes\.io\/managed-by$|meta\.helm\.sh\/|helm\.sh\/|caelus\.io\/)/

function pointerProblem(pointer: string): string | undefined {
  const path = pathOf(pointer)
  const [first = '', second, third] = path
  if (!/^(?:\/(?:[^~/]|~[01])+)+$/.test(pointer) || path.length > DEEPEST)
    return 'must be a JSON pointer such as /spec/replicas; ~1 stands for / in a name, ~0 for ~'
  if (path.includes('__proto__')) return 'names __proto__, which no object has'
  if (['*', 'apiVersion', 'kind'].includes(first))
    return 'covers what an object is known by: name a field below /spec, for example'
  if (first === 'status') return 'is a status, which is never compared: leave it out'
  if (first === 'stringData') return 'must be written as /data/…, which is how the API server stores it'
  if (first !== 'metadata') return undefined
  if (second !== 'labels' && second !== 'annotations')
    return 'is not compared: of the metadata name a label or an annotation, such as /metadata/annotations/example.com~1owner'
  if (third === undefined || third === '*' || path.length > 3)
    return `covers all ${second}, also those that tell whose the object is: name one, such as /metadata/${second}/example.com~1owner`
  return OWN_KEYS.test(third)
    ? `is ${third}, which tells whose the object is and must not change: leave it out`
    : undefined
}
