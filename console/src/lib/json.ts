type JsonTokenKind = 'key' | 'string' | 'number' | 'word' | 'plain'

export interface JsonToken {
  readonly kind: JsonTokenKind
  readonly text: string
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g

/** Longer texts are shown without colours: thousands of spans would make the page slow. */
const LONGEST_COLOURED = 100_000

export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2) ?? 'undefined'

/** Cuts pretty-printed JSON into pieces to be coloured. Joined, they are the text again. */
export function jsonTokens(text: string): readonly JsonToken[] {
  if (text.length > LONGEST_COLOURED) return [{ kind: 'plain', text }]
  const tokens: JsonToken[] = []
  let at = 0
  const plain = (until: number): void => {
    if (until > at) tokens.push({ kind: 'plain', text: text.slice(at, until) })
  }
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon, number] = match
    plain(match.index)
    if (string !== undefined) {
      tokens.push({ kind: colon === undefined ? 'string' : 'key', text: string })
      if (colon !== undefined) tokens.push({ kind: 'plain', text: colon })
    } else {
      tokens.push({ kind: number === undefined ? 'word' : 'number', text: whole })
    }
    at = match.index + whole.length
  }
  plain(text.length)
  return tokens
}
