import { appendFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/** Counts what passed and failed, and adds a line to the file that `tools/test.ts` sums up; without one it prints the line itself. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0
    let failed = unhandledErrors.length
    for (const module of modules) {
      const tests = [...module.children.allTests()]
      passed += tests.filter((test) => test.result().state === 'passed').length
      failed += tests.filter((test) => test.result().state === 'failed').length
      if (module.state() === 'failed' && tests.every((test) => test.result().state !== 'failed')) failed += 1
    }
    const counts = process.env['TEST_COUNTS_FILE']
    if (counts === undefined) process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
    else appendFileSync(counts, `${passed} ${failed}\n`)
  }
}
