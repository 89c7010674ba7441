import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** The file at `path` (from the root of the repository) says what the code says now. `UPDATE=1` rewrites it. */
export function golden(path: string, actual: string): void {
  const file = join(ROOT, path)
  if (process.env['UPDATE'] !== undefined) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, actual)
  }
  expect(actual, `${path} is outdated: run npm run generate`).toBe(readFileSync(file, 'utf8'))
}
