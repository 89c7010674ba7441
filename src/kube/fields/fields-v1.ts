import { isSameKey } from './list-keys.ts'
import { isFields, type Fields } from './fields.ts'
import type { FieldPath, PathPart } from './path.ts'

/*
 * FieldsV1 is a tree of elements: `f:x` is a field, `k:{…}` a list item by its keys, `v:…` a set item by its value,
 * `i:…` a list item by its index, and `.` the node itself. A node without elements is owned as one value.
 */

/** An element of FieldsV1 as a step of a path. */
export function partOf(element: string): PathPart {
  const content = element.slice(2)
  if (element.startsWith('f:')) return content
  if (element.startsWith('i:')) return { index: Number(content) }
  const value = JSON.parse(content) as unknown
  return element.startsWith('v:') ? { value } : { key: isFields(value) ? value : {} }
}

/** The node that FieldsV1 has for a step, if it names that step. */
export function nodeOf(fields: Fields, part: PathPart): Fields | undefined {
  const node = fields[elementOf(fields, part) ?? '']
  return isFields(node) ? node : undefined
}

function elementOf(fields: Fields, part: PathPart): string | undefined {
  if (typeof part === 'string') return `f:${part}`
  if ('index' in part) return `i:${part.index}`
  if ('value' in part) return `v:${JSON.stringify(part.value)}`
  return Object.keys(fields).find((element) => {
    const known = element.startsWith('k:') ? partOf(element) : undefined
    return known !== undefined && typeof known !== 'string' && 'key' in known && isSameKey(part.key, known.key)
  })
}

/** The elements of a node, without the node itself. */
export const elementsOf = (fields: Fields): string[] => Object.keys(fields).filter((element) => element !== '.')

/** Whether FieldsV1 names exactly this path. A value that is owned as one does not name what is inside it. */
export function namesPath(fields: Fields, path: FieldPath): boolean {
  let node: Fields | undefined = fields
  for (const part of path) {
    node = nodeOf(node, part)
    if (node === undefined) return false
  }
  return true
}

/** FieldsV1 of a set of paths. Each path is a list of elements. */
export function toFieldsV1(paths: Iterable<readonly string[]>): Fields {
  const root: Node = {}
  const members = new Set<Node>()
  for (const elements of paths) {
    let node = root
    for (const element of elements) {
      if (members.has(node)) node['.'] ??= {}
      node = node[element] ??= {}
    }
    members.add(node)
    for (const _ in node) {
      node['.'] ??= {}
      break
    }
  }
  return root
}

/** A member has `.` only if there are elements below it. */
interface Node {
  [element: string]: Node
}

/** The paths that FieldsV1 names, each as a list of elements. */
export function* fromFieldsV1(fields: Fields, path: readonly string[] = []): Generator<readonly string[]> {
  const elements = elementsOf(fields)
  if (path.length > 0 && (elements.length === 0 || '.' in fields)) yield path
  for (const element of elements) {
    const below = fields[element]
    if (isFields(below)) yield* fromFieldsV1(below, [...path, element])
  }
}
