import type { UiHintView } from '../../lib/api/contract.ts'
import { fieldText } from '../../lib/diff-lines.ts'

interface WrittenFact {
  readonly title: string
  /** Undefined: it is stored and cannot be shown. */
  readonly text: string | undefined
}

/** One line per field that was set, under the title that the form has for it. */
export function writtenFacts(
  values: Readonly<Record<string, unknown>>,
  secrets: readonly string[],
  hints: readonly UiHintView[],
): readonly WrittenFact[] {
  const byPointer = new Map(hints.map((hint) => [hint.pointer, hint]))
  const shown: WrittenFact[] = []
  const visit = (value: unknown, pointer: string): void => {
    if (isPlainObject(value) && Object.keys(value).length > 0) {
      for (const [key, inner] of Object.entries(value)) visit(inner, `${pointer}/${key}`)
    } else if (Array.isArray(value) && value.some(isPlainObject)) {
      value.forEach((item, index) => visit(item, `${pointer}/${index}`))
    } else shown.push({ title: titleOf(pointer, byPointer), text: textOf(value, hintOf(pointer, byPointer)?.unit) })
  }
  visit(values, '')
  const stored = secrets.map((pointer) => ({ title: titleOf(pointer, byPointer), text: undefined }))
  return [...shown, ...stored].filter(({ title }) => title !== '')
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const hintOf = (pointer: string, hints: ReadonlyMap<string, UiHintView>): UiHintView | undefined =>
  hints.get(pointer) ?? hints.get(pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*'))

/** The titles on the way there; where the form has none, the path as people write it. */
function titleOf(pointer: string, hints: ReadonlyMap<string, UiHintView>): string {
  const parts = pointer.split('/').slice(1)
  const titles = parts.map((part, index) => {
    if (/^\d+$/.test(part)) return String(Number(part) + 1)
    return hintOf(`/${parts.slice(0, index + 1).join('/')}`, hints)?.title
  })
  return titles.every((title) => title !== undefined) ? titles.join(' › ') : fieldText(pointer)
}

function textOf(value: unknown, unit: string | undefined): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = Array.isArray(value)
    ? value.map(String).join(', ')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)
  return unit === undefined ? text : `${text} ${unit}`
}
