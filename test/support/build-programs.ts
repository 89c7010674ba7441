import { globSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from '../../tools/release/bundle.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Builds the programs that tests start in processes of their own, by the patterns of their sources. */
export async function buildPrograms(folder: string, patterns: readonly string[]): Promise<void> {
  const sources = globSync([...patterns], { cwd: ROOT })
  const programs = Object.fromEntries(sources.map((source) => [source.replace(/\.ts$/, ''), source]))
  await bundle({ programs, dir: folder, sourceMaps: true })
}
