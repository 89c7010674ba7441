import { clone, equal, isObject, type Json } from './json.ts'
import { Refusal } from './failure.ts'
import { itemElement, type Shape } from './shape.ts'

const refused = (): Refusal =>
  new Refusal(422, 'Invalid', 'the server rejected our request due to an error in our request', {})

/** RFC 7386: null removes, objects merge, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged: Json = isObject(target) ? { ...target } : {}
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete merged[field]
    else merged[field] = mergePatch(merged[field], value)
  }
  return merged
}

/**
 * Like a merge patch, but lists with known keys merge item by item, `$patch: delete` removes an item and
 * `$patch: replace` the rest.
 */
export function strategicPatch(target: unknown, patch: unknown, shape: Shape): unknown {
  if (Array.isArray(patch)) return strategicList(Array.isArray(target) ? target : [], patch, shape)
  if (!isObject(patch)) return patch
  if (patch['$patch'] === 'replace') return withoutDirectives(patch)
  const merged: Json = isObject(target) ? { ...target } : {}
  for (const [field, value] of Object.entries(withoutDirectives(patch))) {
    if (value === null) delete merged[field]
    else merged[field] = strategicPatch(merged[field], value, shape.field(field).shape)
  }
  return merged
}

function strategicList(target: readonly unknown[], patch: readonly unknown[], shape: Shape): unknown[] {
  if (shape.list === 'atomic') return patch.map(clone)
  if (shape.list === 'set') return [...new Set([...target, ...patch])]
  const isReplaced = patch.some((item) => isObject(item) && item['$patch'] === 'replace')
  const merged = isReplaced ? [] : [...target]
  for (const item of patch) {
    const directive = isObject(item) ? item['$patch'] : undefined
    if (directive === 'replace') continue
    const element = itemElement(shape, item)
    const place = merged.findIndex((known) => itemElement(shape, known) === element)
    if (directive === 'delete') {
      if (place !== -1) merged.splice(place, 1)
    } else if (place === -1) merged.unshift(strategicPatch({}, item, shape.item))
    else merged[place] = strategicPatch(merged[place], item, shape.item)
  }
  return merged
}

const withoutDirectives = (patch: Json): Json =>
  Object.fromEntries(Object.entries(patch).filter(([field]) => !field.startsWith('$')))

/** RFC 6902. An impossible operation or a failed test refuses the whole patch. */
export function jsonPatch(target: Json, operations: unknown): Json {
  if (!Array.isArray(operations)) throw refused()
  const root = { document: clone(target) as unknown }
  for (const operation of operations.filter(isObject)) perform(root, operation)
  if (!isObject(root.document)) throw refused()
  return root.document
}

interface Root {
  document: unknown
}

function perform(root: Root, operation: Json): void {
  const path = pointer(operation['path'])
  switch (operation['op']) {
    case 'add':
      return put(root, path, clone(operation['value']), true)
    case 'replace':
      get(root, path)
      return put(root, path, clone(operation['value']), false)
    case 'remove':
      return void take(root, path)
    case 'move':
      return put(root, path, take(root, pointer(operation['from'])), true)
    case 'copy':
      return put(root, path, clone(get(root, pointer(operation['from']))), true)
    case 'test':
      if (!equal(get(root, path), operation['value'])) throw refused()
      return
    default:
      throw refused()
  }
}

function pointer(path: unknown): string[] {
  if (typeof path !== 'string') throw refused()
  const parts = path.split('/').slice(1)
  return ['document', ...parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))]
}

function step(at: unknown, part: string): unknown {
  const found = Array.isArray(at) ? at[Number(part)] : isObject(at) ? at[part] : undefined
  if (found === undefined) throw refused()
  return found
}

const get = (root: Root, path: readonly string[]): unknown => path.reduce(step, root as unknown)

function put(root: Root, path: readonly string[], value: unknown, insert: boolean): void {
  const parent = get(root, path.slice(0, -1))
  const last = path.at(-1) ?? ''
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : Number(last)
    if (!(index >= 0 && index <= parent.length)) throw refused()
    parent.splice(index, insert ? 0 : 1, value)
  } else if (isObject(parent)) parent[last] = value
  else throw refused()
}

function take(root: Root, path: readonly string[]): unknown {
  const value = get(root, path)
  const parent = get(root, path.slice(0, -1))
  const last = path.at(-1) ?? ''
  if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else delete (parent as Json)[last]
  return value
}
