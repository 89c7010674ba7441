import { readFile, rename, writeFile } from 'node:fs/promises'
import type { GardenKeep } from './saving.ts'

/** Keeps a garden in a file. A process that is killed while it writes leaves the state before. */
export const fileKeep = (path: string): GardenKeep => ({
  async load() {
    try {
      return await readFile(path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw new Error(`failed to read the state of the mock garden from ${path}`, { cause: error })
    }
  },
  async save(text) {
    await writeFile(`${path}.new`, text, { mode: 0o600 })
    await rename(`${path}.new`, path)
  },
})
