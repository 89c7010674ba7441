import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GardenKeep } from '../../domains/clusters/gardener/stand-in/mock.ts'

/** Keeps the simulated garden in a file: a restart finds its clusters as they were. */
export function keptGarden(dataDir: string): GardenKeep {
  const file = join(dataDir, 'simulated-garden.json')
  return {
    load: () => readFile(file, 'utf8').catch(() => undefined),
    async save(text) {
      // Replaced at once: a machine that stops while it is written must not leave half of it.
      await writeFile(`${file}.new`, text, { mode: 0o600 })
      await rename(`${file}.new`, file)
    },
  }
}
