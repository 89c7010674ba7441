import { raise } from '../failures.ts'

const BLOCK = 512

export interface TarFile {
  /** Relative, with `/` between folders. */
  readonly name: string
  readonly content: Buffer
}

/** A tar archive of plain files that dates from the epoch: the same files make the same bytes. */
export function tarOf(files: Iterable<TarFile>): Buffer {
  const blocks: Buffer[] = []
  for (const { name, content } of files) {
    blocks.push(header(name, content.length), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK))
  }
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  const [prefix, name] = splitName(path)
  const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`
  block.write(name, 0)
  block.write(octal(0o644, 8), 100)
  block.write(octal(0, 8), 108)
  block.write(octal(0, 8), 116)
  block.write(octal(size, 12), 124)
  block.write(octal(0, 12), 136)
  block.write(' '.repeat(8), 148)
  block.write('0', 156)
  block.write('ustar\x0000', 257)
  block.write(prefix, 345)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** The format has 100 bytes for a name and 155 for the folders before it. */
function splitName(path: string): [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path]
  const cut = path.lastIndexOf('/', 155)
  if (cut < 0 || Buffer.byteLength(path) - cut - 1 > 100) {
    throw raise.ChartInvalid(`failed to package the chart: the name of ${path} is too long`)
  }
  return [path.slice(0, cut), path.slice(cut + 1)]
}

/** The plain files of an archive. Names longer than the header holds come as GNU `L` or PAX `path` records before their file. */
export function* filesIn(archive: Buffer): Generator<TarFile> {
  let longName: string | undefined
  for (let at = 0; at + BLOCK <= archive.length;) {
    const block = archive.subarray(at, at + BLOCK)
    if (block.every((byte) => byte === 0)) return
    const size = sizeOf(block)
    const content = archive.subarray(at + BLOCK, at + BLOCK + size)
    if (content.length < size) throw raise.ChartInvalid('failed to read the chart: its archive is cut off')
    const type = String.fromCharCode(block[156] ?? 0)
    if (type === 'L') longName = text(content)
    else if (type === 'x') longName = paxPath(content.toString('utf8')) ?? longName
    else {
      if (type === '0' || type === '\0') yield { name: longName ?? nameOf(block), content }
      longName = undefined
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
}

const text = (bytes: Buffer): string => bytes.toString('utf8').replace(/\0.*$/s, '')

function nameOf(block: Buffer): string {
  const [name, prefix] = [text(block.subarray(0, 100)), text(block.subarray(345, 500))]
  return text(block.subarray(257, 262)) === 'ustar' && prefix !== '' ? `${prefix}/${name}` : name
}

function sizeOf(block: Buffer): number {
  const size = Number.parseInt(text(block.subarray(124, 136)).trim() || '0', 8)
  if (!Number.isSafeInteger(size) || size < 0)
    throw raise.ChartInvalid('failed to read the chart: it is not a tar archive')
  return size
}

const paxPath = (records: string): string | undefined => /^\d+ path=(.*)$/m.exec(records)?.[1]
