/**
 * Splits a body into lines, parsed when they are JSON.
 *
 * The cost is linear in the bytes for any size of chunks. Lines are decoded as a whole, so that a character may span
 * two chunks.
 */
export async function* linesOf(body: AsyncIterable<Uint8Array>, json: boolean): AsyncGenerator {
  let pieces: Uint8Array[] = []
  const take = (piece: Uint8Array): string => {
    if (pieces.length === 0) return text(piece)
    pieces.push(piece)
    const whole = Buffer.concat(pieces)
    pieces = []
    return whole.toString('utf8')
  }
  for await (const chunk of body) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = take(chunk.subarray(start, end))
      start = end + 1
      if (!json) yield line
      else if (line !== '') yield JSON.parse(line)
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start))
  }
  const rest = take(new Uint8Array())
  if (rest === '') return
  yield json ? parseLast(rest) : rest
}

const NEWLINE = 10

const text = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')

function parseLast(rest: string): unknown {
  try {
    return JSON.parse(rest)
  } catch (cause) {
    throw new Error(`the stream ended in the middle of a line, after ${rest.length} characters of it`, { cause })
  }
}
