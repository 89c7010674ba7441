import { expect, test } from 'vitest'
import { secretBodyOf } from './secret-body.ts'

const field = (number: number, content: Buffer | string): Buffer => {
  const bytes = Buffer.from(content)
  const length: number[] = []
  for (let rest = bytes.length; ; rest >>= 7) {
    length.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest)
    if (rest <= 0x7f) break
  }
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), bytes])
}

const entry = (key: string, value: string): Buffer => field(2, Buffer.concat([field(1, key), field(2, value)]))
const LONG = 'H4sI'.repeat(100)
const SECRET = Buffer.concat([
  field(1, field(1, 'sh.helm.release.v1.web.v1')),
  entry('other', 'x'),
  entry('release', LONG),
  field(3, 'helm.sh/release.v1'),
])
const PROTOBUF = Buffer.concat([Buffer.from('k8s\0'), field(1, field(1, 'v1')), field(2, SECRET), field(3, '')])

test('a Secret is read as JSON and as protobuf', () => {
  const json = { type: 'helm.sh/release.v1', data: { release: Buffer.from(LONG).toString('base64') } }
  for (const body of [Buffer.from(JSON.stringify(json)), PROTOBUF]) {
    expect(secretBodyOf(body)).toEqual({ type: 'helm.sh/release.v1', release: Buffer.from(LONG) })
  }
  expect(secretBodyOf(Buffer.from('{"kind":"Secret"}'))).toEqual({ type: '', release: Buffer.alloc(0) })
})

test('what is cut off or is neither is told', () => {
  expect(() => secretBodyOf(PROTOBUF.subarray(0, 60))).toThrow('cut off')
  expect(() => secretBodyOf(Buffer.from('apiVersion: v1'))).toThrow(/JSON/)
  expect(() => secretBodyOf(Buffer.from('[]'))).toThrow('not an object')
})
