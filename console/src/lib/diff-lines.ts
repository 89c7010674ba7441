import type { FieldChangeView, PreviewView } from './api/contract.ts'

/** One line of a diff: a field that holds no other fields. */
export interface DiffLine {
  readonly field: string
  readonly before?: string
  readonly after?: string
}

/**
 * Takes what was added or removed as a whole apart, so that every line is one field and one value. Where one item of a
 * list went and another came into its place, their fields meet, and those that are equal are no change.
 */
export function diffLines(changes: readonly FieldChangeView[]): readonly DiffLine[] {
  const old = new Map(changes.flatMap(({ pointer, before }) => [...leaves(pointer, before)]))
  const now = new Map(changes.flatMap(({ pointer, after }) => [...leaves(pointer, after)]))
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((at): DiffLine[] => {
    const [before, after] = [old.get(at), now.get(at)]
    // A change of a secret is told as one, although both sides show the same mask.
    if (before === after && !changes.some(({ pointer, change }) => pointer === at && change === 'changed')) return []
    if (before !== undefined && after !== undefined) return [{ field: fieldText(at), ...differing(before, after) }]
    return [{ field: fieldText(at), ...(before !== undefined && { before }), ...(after !== undefined && { after }) }]
  })
}

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

function leaves(pointer: string, value: unknown): Map<string, string> {
  if (value === undefined) return new Map()
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (inner.length === 0) return new Map([[pointer, valueText(value)]])
  return new Map(
    inner.flatMap(([key, item]) => [...leaves(`${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, item)]),
  )
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** `/spec/rules/0/host` → `spec.rules[0].host`: as people write it. */
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
