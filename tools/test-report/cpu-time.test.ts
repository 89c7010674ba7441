import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { cpuSeconds } from './cpu-time.ts'

test.runIf(process.platform === 'linux')('the CPU time of a child counts once it has ended', () => {
  const before = cpuSeconds() ?? Number.NaN
  const script = 'while (process.cpuUsage().user < 300_000) for (let i = 0; i < 1e6; i++);'
  expect(spawnSync(process.execPath, ['-e', script]).status).toBe(0)
  expect((cpuSeconds() ?? Number.NaN) - before).toBeGreaterThanOrEqual(0.29)
})
