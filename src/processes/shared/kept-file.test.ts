import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keptText } from './kept-file.ts'

test('a text is created once, for its owner only, and created anew if the file is empty', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'caelus-kept-'))
  try {
    expect(await keptText(dir, 'key', () => 'first')).toBe('first')
    expect(await keptText(dir, 'key', () => 'second')).toBe('first')
    expect((await stat(join(dir, 'key'))).mode & 0o777).toBe(0o600)
    await writeFile(join(dir, 'key'), '')
    expect(await keptText(dir, 'key', () => 'third')).toBe('third')
    expect(await keptText(dir, 'key', () => 'fourth')).toBe('third')
  } finally {
    await rm(dir, { recursive: true })
  }
})
