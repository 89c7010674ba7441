export interface ProsePart {
  readonly code: boolean
  readonly text: string
}

/** Cuts a text at pairs of backticks. A backtick without its partner stays a character. */
export function proseParts(text: string): readonly ProsePart[] {
  return text
    .split(/(`[^`]+`)/)
    .filter((part) => part !== '')
    .map((part) => {
      const code = part.length > 2 && part.startsWith('`') && part.endsWith('`')
      return { code, text: code ? part.slice(1, -1) : part }
    })
}
