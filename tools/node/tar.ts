import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'

const BLOCK = 512

export interface TarEntry {
  /** Relative, without a leading slash. */
  readonly name: string
  readonly type: 'file' | 'directory' | 'link'
  readonly mode: number
  readonly content?: Uint8Array
  readonly target?: string
}

const TYPE = { file: '0', directory: '5', link: '2' } as const

/** A tar archive in which everything belongs to root and dates from the epoch: the same entries make the same bytes. */
export function tarOf(entries: Iterable<TarEntry>): Buffer {
  const blocks: Uint8Array[] = []
  for (const entry of entries) {
    const content = entry.content ?? Buffer.alloc(0)
    blocks.push(header(entry, content.length), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK))
  }
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

function header(entry: TarEntry, size: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  const [prefix, name] = splitName(entry.name)
  const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`
  block.write(name, 0)
  block.write(octal(entry.mode & 0o7777, 8), 100)
  block.write(octal(0, 8), 108)
  block.write(octal(0, 8), 116)
  block.write(octal(size, 12), 124)
  block.write(octal(0, 12), 136)
  block.write(' '.repeat(8), 148)
  block.write(TYPE[entry.type], 156)
  block.write(entry.target ?? '', 157)
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
  if (cut < 0 || Buffer.byteLength(path) - cut - 1 > 100)
    throw new Error(`failed to archive ${path}: its name is too long`)
  return [path.slice(0, cut), path.slice(cut + 1)]
}

/** Everything below `root`, sorted. */
export async function entriesOf(root: string, below = ''): Promise<TarEntry[]> {
  const names = (await readdir(join(root, below))).toSorted((a, b) => (a < b ? -1 : 1))
  const nested = await Promise.all(names.map((name) => entriesAt(root, join(below, name))))
  return nested.flat()
}

async function entriesAt(root: string, name: string): Promise<TarEntry[]> {
  const path = join(root, name)
  const { mode, ...found } = await lstat(path).then((stats) => ({
    mode: stats.mode,
    link: stats.isSymbolicLink(),
    folder: stats.isDirectory(),
  }))
  if (found.link) return [{ name, type: 'link', mode: 0o777, target: await readlink(path) }]
  if (found.folder) return [{ name, type: 'directory', mode }, ...(await entriesOf(root, name))]
  return [{ name, type: 'file', mode, content: await readFile(path) }]
}
