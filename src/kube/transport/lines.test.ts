import { expect, test } from 'vitest'
import { linesOf } from './lines.ts'

async function* bytes(...pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece)
}

test('lines of any number of chunks are joined, and empty ones are left out', async () => {
  expect(await Array.fromAsync(linesOf(bytes('{"a"', ':', '1}\n\n{"a":2}\n{"a":', '3}'), true))).toEqual([
    { a: 1 },
    { a: 2 },
    { a: 3 },
  ])
})

test('a line without end is refused before it fills the memory; many short ones are not', async () => {
  const endless = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) yield Buffer.from('x'.repeat(10))
  }
  await expect(Array.fromAsync(linesOf(endless(), false, 100))).rejects.toThrow(
    'a line of the stream has more than 100 bytes',
  )
  const short = Array.from({ length: 100 }, () => ['abc', 'def\n'])
  expect(await Array.fromAsync(linesOf(bytes(...short.flat()), false, 10))).toHaveLength(100)
})
