import { sameValue } from '../../kernel/index.ts'
import { sameQuantity } from '../quantity.ts'
import { fieldOf, isFields } from './fields.ts'
import type { FieldPath, PathPart } from './path.ts'

/** Maps of quantities. The API server writes a quantity in its canonical form: `1024Mi` comes back as `1Gi`. */
const QUANTITY_MAPS: ReadonlySet<PathPart | undefined> = new Set([
  'limits',
  'requests',
  'hard',
  'capacity',
  'overhead',
  'max',
  'min',
  'default',
  'defaultRequest',
])
const QUANTITIES: ReadonlySet<PathPart | undefined> = new Set(['sizeLimit', 'divisor', 'averageValue'])

/** Maps of text, in which the API server keeps an empty text. Elsewhere it drops one. */
const TEXT_MAPS: ReadonlySet<PathPart | undefined> = new Set([
  'labels',
  'annotations',
  'matchLabels',
  'nodeSelector',
  'selector',
  'data',
  'stringData',
  'binaryData',
])

/** Whether the live value at `path` is what was asked for, in whatever form the API server keeps it. */
export function isSameField(wanted: unknown, live: unknown, path: FieldPath): boolean {
  if (sameValue(wanted, live)) return true
  if (live === undefined || live === null) return isDropped(wanted, path)
  return isQuantity(path) && sameQuantity(scalarText(wanted), scalarText(live))
}

/** The API server drops empty lists and maps, and the zero value of an optional field. */
function isDropped(value: unknown, path: FieldPath): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (isFields(value)) return Object.entries(value).every(([name, inner]) => isDropped(inner, [...path, name]))
  if (value === '') return !TEXT_MAPS.has(path.at(-2))
  return value === undefined || value === null || value === 0 || value === false
}

const isQuantity = (path: FieldPath): boolean => QUANTITIES.has(path.at(-1)) || QUANTITY_MAPS.has(path.at(-2))

const scalarText = (value: unknown): string =>
  typeof value === 'number' ? `${value}` : typeof value === 'string' ? value : ''

/** Whether a value that is replaced as one holds all that was asked for. Fields that the API server adds do not count. */
export function isHeld(wanted: unknown, live: unknown, path: FieldPath): boolean {
  if (isFields(wanted) && isFields(live)) {
    return Object.entries(wanted).every(
      ([name, value]) => value === undefined || isHeld(value, fieldOf(live, name), [...path, name]),
    )
  }
  if (Array.isArray(wanted) && Array.isArray(live)) {
    return (
      wanted.length === live.length && wanted.every((item, index) => isHeld(item, live[index], [...path, { index }]))
    )
  }
  return isSameField(wanted, live, path)
}
