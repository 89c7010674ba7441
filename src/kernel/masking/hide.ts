import type { Hidden, Hide } from '../decisions.ts'
import type { Masker } from './masker.ts'

/**
 * Masks the secrets of a decision record. What `byPlace` replaces, it replaces with a keyed fingerprint: equal secrets stay
 * equal, so that comparisons replay to the same answer. Every other text that holds a secret is listed as masked.
 */
export const hideWith =
  (mask: Masker, byPlace: (value: unknown) => unknown = (value) => value): Hide =>
  (given): Hidden => {
    const before = byPlace(given)
    const value = mask.value(before)
    return { value, masked: changedTexts(before, value, '') }
  }

function changedTexts(before: unknown, after: unknown, path: string): string[] {
  if (Object.is(before, after)) return []
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null) return [path]
  if (Array.isArray(before)) {
    return before.flatMap((item, index) => changedTexts(item, (after as unknown[])[index], `${path}[${index}]`))
  }
  const masked = after as Readonly<Record<string, unknown>>
  return Object.entries(before).flatMap(([name, item]) =>
    // A name that was masked itself must not be in the path.
    Object.hasOwn(masked, name) ? changedTexts(item, masked[name], path === '' ? name : `${path}.${name}`) : [path],
  )
}
