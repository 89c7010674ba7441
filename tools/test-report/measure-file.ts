import { afterAll } from 'vitest'
import { cpuSeconds } from './cpu-time.ts'

declare module 'vitest' {
  export interface TaskMeta {
    cpuSeconds?: number
  }
}

/*
 * A setup file of every project: vitest evaluates it before each test file. Its hook is registered first and therefore
 * runs last, after the hooks of the file have ended their processes.
 */
const before = cpuSeconds()

// oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to find the fixtures that a hook needs.
afterAll(({}, suite) => {
  const after = cpuSeconds()
  if (before !== undefined && after !== undefined) suite.file.meta.cpuSeconds = after - before
})
