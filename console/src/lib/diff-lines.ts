import type { FieldChangeView, PreviewView } from './api/contract.ts'

/** One line of a diff: one field and its value before and after. */
export interface DiffLine {
  readonly field: string
  readonly before?: string
  readonly after?: string
}

export const diffLines = (changes: readonly FieldChangeView[]): readonly DiffLine[] =>
  changes.map(({ field, before, after }): DiffLine => {
    if (before === undefined) return { field, after: valueText(after) }
    if (after === undefined) return { field, before: valueText(before) }
    return { field, ...differing(valueText(before), valueText(after)) }
  })

/** Of two long texts, the lines that differ: what both begin and end with is left out. */
function differing(before: string, after: string): { readonly before: string; readonly after: string } {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const shorter = Math.min(old.length, now.length)
  if (shorter < 2 || before === after) return { before, after }
  let head = 0
  while (head < shorter && old[head] === now[head]) head++
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const cut = (lines: readonly string[]): string =>
    [...(head > 0 ? ['…'] : []), ...lines.slice(head, lines.length - tail), ...(tail > 0 ? ['…'] : [])].join('\n')
  return { before: cut(old), after: cut(now) }
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** `/user/items/0/host` → `user.items[0].host`: a JSON pointer as the API prints paths. */
export const fieldText = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, index) => {
      if (/^\d+$/.test(part)) return `[${part}]`
      if (!/^[\w-]+$/.test(part)) return `["${part}"]`
      return index === 0 ? part : `.${part}`
    })
    .join('')

/** `3 objects are created, 1 is changed`; what a preview comes to. */
export function summary({ objects, values }: PreviewView): string {
  const count = (change: string): number => objects.filter((object) => object.change === change).length
  const parts = (['created', 'changed', 'deleted'] as const).flatMap((change) => {
    const many = count(change)
    return many === 0 ? [] : [{ many, change }]
  })
  if (parts.length > 0) {
    return parts
      .map(({ many, change }, index) => {
        const noun = index > 0 ? '' : many === 1 ? ' object' : ' objects'
        return `${many}${noun} ${many === 1 ? 'is' : 'are'} ${change}`
      })
      .join(', ')
  }
  return values.length > 0 ? 'Settings change, and no object does' : 'Nothing would change'
}
