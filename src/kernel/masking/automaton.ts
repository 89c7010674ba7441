/** A shorter match is never a part of a word. */
export const LEAST_PART = 6
/** A match of this length always is. */
const ENOUGH = 9

/** How many bytes at either end of a text may be the rest of an escape or of a character that was cut. */
const MOST_RAGGED = 8
const isRagged = (code = 0): boolean =>
  (code >= 0x80 && code <= 0x100) || '\\%"/abcdefnrtuvxABCDEFU0123456789'.includes(String.fromCharCode(code))

type Found = (word: number, end: number, length: number) => void

/** A part of a word counts from half of it or `ENOUGH` bytes on, whichever is less. */
const enoughOf = ({ length }: Uint16Array): number => Math.max(LEAST_PART, Math.min(ENOUGH, Math.ceil(length / 2)))

/**
 * Aho–Corasick: finds all of many words in one pass, in time linear in the text however many words there are and however
 * they overlap.
 */
export class Automaton {
  readonly #words: readonly Uint16Array[]
  readonly #root = new Int32Array(257)
  /** Children as linked lists: nearly every node but the root has one. */
  readonly #code: Uint16Array
  readonly #child: Int32Array
  readonly #sibling: Int32Array
  readonly #fail: Int32Array
  readonly #depth: Int32Array
  /** The longest word that ends at a node, plus one. */
  readonly #word: Int32Array
  /** The shortest beginning that counts as part of a word, over the words through a node. */
  readonly #enough: Int32Array
  #nodes = 1
  /** Transitions and comparisons so far: what the work is bounded by in tests. */
  steps = 0

  constructor(words: readonly Uint16Array[]) {
    const size = 1 + words.reduce((sum, { length }) => sum + length, 0)
    this.#words = words
    this.#code = new Uint16Array(size)
    this.#child = new Int32Array(size)
    this.#sibling = new Int32Array(size)
    this.#fail = new Int32Array(size)
    this.#depth = new Int32Array(size)
    this.#word = new Int32Array(size)
    this.#enough = new Int32Array(size)
    for (const [index, word] of words.entries()) this.#add(word, index)
    this.#link()
  }

  /**
   * Calls `found` with the longest word at each place where one ends, as an index into `words`, and the length of what was
   * matched. With `isCut`, a beginning of a word at the end of `codes`, and an end of one at their start, count as well.
   */
  search(codes: Uint16Array, isCut: boolean, found: Found): void {
    const { length } = codes
    let [first, last] = [0, length]
    while (first < Math.min(MOST_RAGGED, length) && isRagged(codes[first])) first++
    while (last > Math.max(0, length - MOST_RAGGED) && isRagged(codes[last - 1])) last--
    let beginnings: (readonly [node: number, end: number])[] = []
    let whole = 0
    let node = 0
    for (let at = 0; at < length; at++) {
      node = this.#next(node, codes[at] ?? 0)
      if (isCut && at + 1 >= last) beginnings.push([node, at + 1])
      const word = (this.#word[node] ?? 0) - 1
      if (word < 0) continue
      const known = this.#words[word]?.length ?? 0
      found(word, at + 1, known)
      // Beside a whole word, a part of another one counts only if it reaches beyond it.
      const start = at + 1 - known
      if (start <= first) [first, whole] = [start, known]
      beginnings = beginnings.filter(([beginning, end]) => end - (this.#depth[beginning] ?? 0) < start)
    }
    this.steps += length
    if (!isCut) return
    for (const [beginning, end] of beginnings) this.#foundBeginning(beginning, end, length, found)
    for (let at = 0; at <= first; at++) this.#foundEnds(codes.subarray(at), at, at === first ? whole : 0, found)
  }

  #add(word: Uint16Array, index: number): void {
    let node = 0
    for (const code of word) {
      let next = this.#go(node, code)
      if (next === 0) {
        next = this.#nodes++
        this.#code[next] = code
        this.#depth[next] = (this.#depth[node] ?? 0) + 1
        this.#enough[next] = enoughOf(word)
        if (node === 0) this.#root[code] = next
        else {
          this.#sibling[next] = this.#child[node] ?? 0
          this.#child[node] = next
        }
      }
      this.#enough[next] = Math.min(this.#enough[next] ?? 0, enoughOf(word))
      node = next
    }
    this.#word[node] = index + 1
  }

  #go(node: number, code: number): number {
    if (node === 0) return this.#root[code] ?? 0
    let next = this.#child[node] ?? 0
    for (this.steps++; next !== 0 && this.#code[next] !== code; this.steps++) next = this.#sibling[next] ?? 0
    return next
  }

  #next(from: number, code: number): number {
    for (let node = from; ; node = this.#fail[node] ?? 0) {
      const next = this.#go(node, code)
      if (next !== 0 || node === 0) return next
    }
  }

  /** Breadth first, so that what a node falls back to is finished before it. */
  #link(): void {
    const queue = [...this.#root].filter((node) => node !== 0)
    for (const node of queue) {
      for (let child = this.#child[node] ?? 0; child !== 0; child = this.#sibling[child] ?? 0) {
        const back = this.#next(this.#fail[node] ?? 0, this.#code[child] ?? 0)
        this.#fail[child] = back
        this.#word[child] ||= this.#word[back] ?? 0
        queue.push(child)
      }
    }
  }

  /** The bytes after `end` are the rest of a cut escape or character and count as part of the match. */
  #foundBeginning(from: number, end: number, length: number, found: Found): void {
    for (let node = from; node !== 0; node = this.#fail[node] ?? 0) {
      const depth = this.#depth[node] ?? 0
      this.steps++
      if (depth >= (this.#enough[node] ?? 0)) return found(this.#wordThrough(node), length, depth + length - end)
    }
  }

  /** A word that goes through `node`. */
  #wordThrough(from: number): number {
    let node = from
    while (this.#child[node] !== 0) node = this.#child[node] ?? 0
    return (this.#word[node] ?? 1) - 1
  }

  /** Knuth–Morris–Pratt with the start of the text as pattern: how much of it is the end of a word, or inside of one. */
  #foundEnds(codes: Uint16Array, offset: number, known: number, found: Found): void {
    const longest = this.#words.reduce((most, { length }) => Math.max(most, length), 0)
    const head = codes.subarray(0, longest)
    const back = new Int32Array(head.length + 1)
    const extend = (matched: number, code: number): number => {
      let length = matched === head.length ? (back[matched] ?? 0) : matched
      for (this.steps++; length > 0 && head[length] !== code; this.steps++) length = back[length] ?? 0
      return head[length] === code ? length + 1 : 0
    }
    for (let at = 1; at < head.length; at++) back[at + 1] = extend(back[at] ?? 0, head[at] ?? 0)
    for (const [index, word] of this.#words.entries()) {
      let [matched, most] = [0, 0]
      for (const code of word) {
        matched = extend(matched, code)
        if (matched === codes.length) most = matched
      }
      const length = Math.max(matched, most)
      if (length > known && length >= enoughOf(word) && length < word.length)
        found(index, offset + length, offset + length)
    }
  }
}
