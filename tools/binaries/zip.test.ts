import { crc32, deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { unzip } from './zip.ts'

test('a compressed file among others is found and inflated', () => {
  const archive = zipOf({ 'folder/': '', 'folder/first': 'one', 'folder/second': 'two'.repeat(1_000) })
  expect(unzip(archive, 'folder/second').toString()).toBe('two'.repeat(1_000))
})

test('a file that is not in there is named', () => {
  expect(() => unzip(zipOf({ a: 'b' }), 'helm/helm')).toThrow('it holds no helm/helm')
})

test('something else is not taken for an archive', () => {
  expect(() => unzip(Buffer.from('<html>not found</html>'), 'a')).toThrow('it is not a ZIP file')
})

function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const packed = deflateRawSync(text)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt32LE(crc32(text), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(text.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), fields, rest, Buffer.from(name)]))
    bodies.push(body)
    offset += body.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...bodies, listed, Buffer.from('PK\x05\x06'), end])
}
