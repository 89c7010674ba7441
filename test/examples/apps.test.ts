import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { start } from '../cli/caelus.ts'

const WALK = join(import.meta.dirname, '../../examples/apps/walk.sh')

test('the walk from a chart to a running app and back goes as it is written', { timeout: 300_000 }, async () => {
  const dir = await mkdtemp(join(tmpdir(), 'caelus-example-'))
  const env = { CAELUS_DATA_DIR: dir, CAELUS_PORT: '0', CAELUS_LOG_LEVEL: 'warn' }
  try {
    await using server = start(['up'], env)
    await server.says(/Apps converge/)
    const { stdout } = await promisify(execFile)(WALK, { env: { ...process.env, CAELUS_DATA_DIR: dir } })
    expect(stdout).toContain('Hello again')
    expect(stdout).toMatch(/Nothing of .* is left/)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
