import { createHash } from 'node:crypto'
import type { HandedField, ObservedChild, RenderedChild } from './types.ts'

/** What was rendered, as a hash: a live child with another one was applied before something was added or taken away. */
const RENDERING = 'oaas.io/rendering'
/** Tells people why a field they expect is not ours to set. */
const HANDED = 'oaas.io/handed-over'

/**
 * A live object cannot show that we once applied a field which is not rendered any more. The stamp can, without reading who
 * manages which field.
 */
export function stamped(child: RenderedChild): RenderedChild {
  const { metadata } = child.object
  const annotations = {
    ...metadata.annotations,
    ...(child.handed.length > 0 && { [HANDED]: child.handed.join(',') }),
    [RENDERING]: createHash('sha256').update(JSON.stringify(child.object)).digest('hex').slice(0, 16),
  }
  return { ...child, object: { ...child.object, metadata: { ...metadata, annotations } } }
}

export const stampOf = (object: { readonly metadata: RenderedChild['object']['metadata'] }): string | undefined =>
  object.metadata.annotations?.[RENDERING]

/** Fields that this rendering leaves to somebody else for the first time. */
export function newlyHanded(child: RenderedChild, live: ObservedChild): HandedField[] {
  const before = live.object.metadata.annotations?.[HANDED]?.split(',') ?? []
  return child.handed.filter((field) => !before.includes(field))
}

/** Fields of ours that are of no interest to anybody who reads a difference. */
export const isStamp = (field: string): boolean => field.includes(`["${RENDERING}"]`) || field.includes(`["${HANDED}"]`)
