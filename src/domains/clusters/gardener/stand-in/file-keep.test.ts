import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileKeep } from './file-keep.ts'

test('keeps what was saved last, in one file', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'caelus-keep-'))
  try {
    const keep = fileKeep(join(dir, 'garden.json'))
    expect(await keep.load()).toBeUndefined()
    await keep.save('[1]')
    await keep.save('[2]')
    expect(await keep.load()).toBe('[2]')
    expect(await readdir(dir)).toEqual(['garden.json'])
    await expect(fileKeep(dir).load()).rejects.toThrow(dir)
  } finally {
    await rm(dir, { recursive: true })
  }
})
