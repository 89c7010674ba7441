import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A text that is created once, in a file that only its owner can read: the next start finds it again. */
export async function keptText(dataDir: string, name: string, make: () => string): Promise<string> {
  const file = join(dataDir, name)
  const found = await readFile(file, 'utf8').catch(() => undefined)
  // Empty: the machine stopped while the file was written.
  if (found !== undefined && found !== '') return found
  const made = make()
  await writeFile(file, made, { mode: 0o600 })
  return made
}

/** 32 random bytes in base64. */
export const newKey = (): string => randomBytes(32).toString('base64')
