import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A directory that goes with the test. */
export async function freshFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'caelus-tools-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}
