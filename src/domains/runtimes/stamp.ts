import { createHash } from 'node:crypto'
import { isFields, isNamed, type PathPart } from './differs.ts'
import type { HandedField, ObservedChild, RenderedChild } from './types.ts'

/** Which fields were rendered, as a hash: a live child with another one was applied when we asked for more, or for less. */
const RENDERED = 'oaas.io/rendered-fields'
/** Tells people why a field they expect is not ours to set. */
const HANDED = 'oaas.io/handed-over'

/**
 * A live object cannot show that we once applied a field which is not rendered any more. The stamp can, without reading who
 * manages which field. It is made from fields alone: their values are compared one by one, and some are secret.
 */
export function stamped(child: RenderedChild): RenderedChild {
  const { metadata } = child.object
  const annotations = {
    ...metadata.annotations,
    ...(child.handed.length > 0 && { [HANDED]: child.handed.join(',') }),
    [RENDERED]: createHash('sha256').update(fieldsIn(child.object)).digest('hex').slice(0, 16),
  }
  return { ...child, object: { ...child.object, metadata: { ...metadata, annotations } } }
}

export const stampOf = (object: Pick<RenderedChild['object'], 'metadata'>): string | undefined =>
  object.metadata.annotations?.[RENDERED]

/** Fields that this rendering leaves to somebody else for the first time. */
export function newlyHanded(child: RenderedChild, live: ObservedChild): HandedField[] {
  const before = live.object.metadata.annotations?.[HANDED]?.split(',') ?? []
  return child.handed.filter((field) => !before.includes(field))
}

/** Of no interest to anybody who reads what differs. */
export const isStamp = (path: readonly PathPart[]): boolean => path.at(-1) === RENDERED || path.at(-1) === HANDED

/** Fields and names without their values, in an order of their own. */
function fieldsIn(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map((item, index) => `${isNamed(item) ? item.name : index}${fieldsIn(item)}`).join()}]`
  }
  if (!isFields(value)) return ''
  const names = Object.keys(value).filter((name) => value[name] !== undefined)
  return `{${names
    .toSorted()
    .map((name) => `${JSON.stringify(name)}${fieldsIn(value[name])}`)
    .join()}}`
}
