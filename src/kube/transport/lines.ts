import { HttpError } from '../../http/index.ts'

/** An object of etcd has at most 1.5 MB; a line of a log has no limit of its own. */
const MAX_LINE_BYTES = 64 * 2 ** 20

/**
 * Splits a body into lines, parsed when they are JSON. Throws when a line has more than `maxLineBytes`.
 *
 * The cost is linear in the bytes for any size of chunks. Lines are decoded as a whole, so that a character may span
 * two chunks.
 */
export async function* linesOf(
  body: AsyncIterable<Uint8Array>,
  json: boolean,
  maxLineBytes = MAX_LINE_BYTES,
): AsyncGenerator {
  let pieces: Uint8Array[] = []
  let size = 0
  const take = (piece: Uint8Array): string => {
    if (pieces.length === 0) return text(piece)
    pieces.push(piece)
    const whole = Buffer.concat(pieces)
    pieces = []
    size = 0
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
    if (start === chunk.length) continue
    pieces.push(chunk.subarray(start))
    size += chunk.length - start
    if (size > maxLineBytes) throw new HttpError('tooLarge', `a line of the stream has more than ${maxLineBytes} bytes`)
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
