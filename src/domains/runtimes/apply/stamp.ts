import { createHash } from 'node:crypto'
import { isFields, type FieldPath, type Fields, type KubeObject } from '../../../kube/index.ts'
import { AMOUNTS, type Amount, type HandedField, type ObservedChild, type RenderedChild } from '../types.ts'

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
  const before = handedBefore(live.object)
  return child.handed.filter((field) => !before.includes(field) && !isWhole(field, before))
}

/** Once, all that a container asks for was handed over as one, whichever of it was enforced. */
const WHOLE = 'resources'

/** Dimensions that went along with the one that is enforced. */
export const wronglyHanded = (child: RenderedChild, live: Pick<KubeObject, 'metadata'>): Amount[] =>
  AMOUNTS.filter((field) => isWhole(field, handedBefore(live)) && !child.handed.includes(field))

/** Says still what was handed over before, so that whoever is stopped while it is given back begins with that again. */
export function asHandedBefore(child: RenderedChild, live: Pick<KubeObject, 'metadata'>): RenderedChild {
  const { metadata } = child.object
  const annotations = { ...metadata.annotations, [HANDED]: handedBefore(live).join(',') }
  return { ...child, object: { ...child.object, metadata: { ...metadata, annotations } } }
}

const handedBefore = ({ metadata }: Pick<KubeObject, 'metadata'>): string[] =>
  metadata.annotations?.[HANDED]?.split(',') ?? []

const isWhole = (field: HandedField, before: readonly string[]): boolean =>
  before.includes(WHOLE) && AMOUNTS.some((amount) => amount === field)

/** Of no interest to anybody who reads what differs. */
export const isStamp = (path: FieldPath): boolean => path.at(-1) === RENDERED || path.at(-1) === HANDED

/** Fields and names without their values, in an order of their own. Asked for with every look, so it does without lists. */
function fieldsIn(value: unknown): string {
  let text = ''
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      text += `${index === 0 ? '' : ','}${isNamed(item) ? item.name : index}${fieldsIn(item)}`
    }
    return `[${text}]`
  }
  if (!isFields(value)) return ''
  for (const name of Object.keys(value).toSorted()) {
    if (value[name] !== undefined) text += `${text === '' ? '' : ','}${quoted(name)}${fieldsIn(value[name])}`
  }
  return `{${text}}`
}

const isNamed = (value: unknown): value is Fields & { readonly name: string } =>
  isFields(value) && typeof value['name'] === 'string'

const PLAIN = /^[\w./-]*$/
const quoted = (name: string): string => (PLAIN.test(name) ? `"${name}"` : JSON.stringify(name))
