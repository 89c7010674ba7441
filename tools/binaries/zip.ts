import { inflateRawSync } from 'node:zlib'

const END = 0x06054b50
const ENTRY = 0x02014b50

/** The content of one file in a ZIP archive, read by way of its central directory. */
export function unzip(archive: Buffer, name: string): Buffer {
  const end = archive.lastIndexOf(Buffer.from(Uint32Array.of(END).buffer))
  if (end < 0) throw new Error('failed to read the archive: it is not a ZIP file')
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0 && archive.readUInt32LE(at) === ENTRY; left--) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
      archive.readUInt16LE(at + offset),
    ) as [number, number, number]
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name) return content(archive, at)
    at += 46 + nameLength + extraLength + commentLength
  }
  throw new Error(`failed to read the archive: it holds no ${name}`)
}

function content(archive: Buffer, entry: number): Buffer {
  const method = archive.readUInt16LE(entry + 10)
  const size = archive.readUInt32LE(entry + 20)
  const header = archive.readUInt32LE(entry + 42)
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28)
  const bytes = archive.subarray(start, start + size)
  if (method === 0) return bytes
  if (method === 8) return inflateRawSync(bytes)
  throw new Error(`failed to read the archive: compression method ${method} is not known`)
}
