/** The same name has the same colour everywhere. */
export const hueOf = (name: string): number =>
  Array.from(name).reduce((hue, letter) => (hue * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7)

export function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const [first = '?', second] = words
  const letters = (word: string, many: number): string => Array.from(word).slice(0, many).join('')
  return (second === undefined ? letters(first, 2) : letters(first, 1) + letters(second, 1)).toUpperCase()
}

export const ICON_TYPES = ['image/png', 'image/svg+xml', 'image/webp', 'image/jpeg', 'image/gif'] as const
/** As a data URL, a third larger than the file, it still has to fit into the request. */
export const MAX_ICON_BYTES = 64 * 1024

/** Why a file cannot be an icon; undefined when it can. */
export function iconProblem({ type, size }: Pick<File, 'type' | 'size'>): string | undefined {
  if (!(ICON_TYPES as readonly string[]).includes(type)) return 'must be a PNG, SVG, WebP, JPEG or GIF image'
  if (size > MAX_ICON_BYTES) return `must be at most ${MAX_ICON_BYTES / 1024} KiB; it has ${Math.ceil(size / 1024)}`
  return undefined
}
